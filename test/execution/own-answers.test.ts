import { openDatabase } from '../support/store-database.ts';
import { expect, inject, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { environmentOf, type Mutation } from '../support/changed-sources.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { requestOf } from '../support/gateway.ts';
import { startPatientService } from '../support/service.ts';

const file = 'src/schema/pet.ts';

const LISTS = [
  '/v1/pets?limit=3',
  '/graphql?query={pets(limit:3){name}}',
  '/graphql?query={petsConnection(limit:3){nodes{name}}}',
];

/** One line of a schema, as anybody would change it, and what then depends on the caller. */
const CHANGES: readonly (Mutation & {
  readonly what: string;
  readonly paths: readonly string[];
})[] = [
  {
    what: 'a filter in find',
    file,
    text: 'find: (query, { database }) => database.pet.findMany(query)',
    replacement: `find: (query, { database, caller }) =>
        database.pet.findMany({ ...query, where: { ...query.where, categoryId: caller.id } })`,
    paths: LISTS,
  },
  {
    what: 'a filter in the find of a shared get',
    file,
    text: `builder.getField(Pet, {
  find: (query, { database }) => database.pet.findUnique(query)`,
    replacement: `builder.getField(Pet, {
  shared: true, find: (query, { database, caller }) =>
        database.pet.findFirst({ where: { ...query.where, categoryId: caller.id } })`,
    paths: ['/v1/pets/1', '/graphql?query={pet(id:1){name}}', '/graphql?query={pet(id:2){name}}'],
  },
  {
    what: 'a mask of a column',
    file,
    text: "name: t.exposeString('name', {",
    replacement: `name: t.string({
        resolve: ({ categoryId, name }, _args, { caller }) => categoryId === caller.id ? name : 'hidden',`,
    paths: [...LISTS, '/v1/pets/1'],
  },
];

test.each(CHANGES)("with $what, no key gets another key's rows", async ({ paths, ...change }) => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using service = await startPatientService({
    DATABASE_URL: databaseUrl,
    ...environmentOf(change),
  });
  const database = openDatabase(databaseUrl, { isSharded: inject('isSharded') });
  const names = ['one', 'two', 'three'];
  const keys: string[] = [];
  for (const name of names) {
    const { key, id } = await createKey(database, { name });
    keys.push(key);
    await database.pet.create({
      data: { name: `of ${name}`, categoryId: id, status: 'available' },
    });
  }
  await database.$disconnect();
  // Several rounds, because an operation is compiled when it comes again, and shared until it has read its caller.
  for (const path of [...paths, ...paths, ...paths]) {
    const asked = Array.from({ length: 60 }, (_, index) => index % names.length);
    const answers = await Promise.all(
      asked.map((index) => requestOf(service.url, keys[index] ?? '')(path)),
    );
    const seen = answers.map(({ text }, index) =>
      names.filter((name) => text.includes(`of ${name}`) && name !== names[asked[index] ?? 0]),
    );
    expect([path, seen.flat()]).toEqual([path, []]);
    // Not only refusals.
    expect([path, answers.some(({ text }) => text.includes('"of '))]).toEqual([path, true]);
  }
  const reports = service.child.stdout().match(/"msg":"not coalesced: the selection[^"]*"/g);
  expect(reports?.length).toBeLessThanOrEqual(3);
  expect(reports).not.toBeNull();
});
