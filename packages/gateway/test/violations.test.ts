import { expect, test } from 'vitest';
import { codedError, defineError } from '@store-gateway/ops/errors';
import { gateway as animals } from '../../../src/gateway.ts';
import { createStore } from '../src/store.ts';
import { startGateway, store } from '../../../test/support/gateway.ts';

const tooLate = defineError({
  code: 'TOO_LATE',
  status: 409,
  description: 'The store is closed.',
  example: 'The store is closed',
});

const kind = { status: 409, description: 'It is one animal too many.', example: 'One too many' };
const nameTaken = defineError({ ...kind, code: 'NAME_TAKEN' });
const noRats = defineError({ ...kind, code: 'NO_RATS', status: 422 });

const { database, graphql, request } = await startGateway({
  api: {
    violations: {
      one_of_a_name: () => nameTaken('Another animal has this name'),
      no_rats: () => noRats('Rats are not sold here'),
      P0001: (message) => codedError('BAD_USER_INPUT', message),
      ST001: (message) => tooLate(message),
    },
  },
});
await database.$executeRaw`ALTER TABLE pets ADD CONSTRAINT one_of_a_name UNIQUE (name),
  ADD CONSTRAINT no_rats CHECK (name <> 'rat'), ADD CONSTRAINT some_kind CHECK (category_id < 9)`;
await database.$executeRaw`
  CREATE FUNCTION raise() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    CASE coalesce(NEW.name, OLD.name)
      WHEN 'plain' THEN RAISE EXCEPTION 'no such animals here';
      WHEN 'own' THEN RAISE EXCEPTION 'closed on %', 'Sundays' USING ERRCODE = 'ST001', DETAIL = 'a secret';
      WHEN 'other' THEN RAISE EXCEPTION 'secret' USING ERRCODE = 'ST002';
      WHEN 'assert' THEN ASSERT false, 'secret';
      ELSE NULL;
    END CASE;
    RETURN coalesce(NEW, OLD);
  END $$`;

const UNTOLD: unknown = expect.stringMatching(/^(?!.*secret)/);
const RAISED: readonly [name: string, code: string, status: number, message: unknown][] = [
  ['plain', 'BAD_USER_INPUT', 400, 'no such animals here'],
  ['own', 'TOO_LATE', 409, 'closed on Sundays'],
  ['other', 'INTERNAL_SERVER_ERROR', 500, UNTOLD],
  ['assert', 'INTERNAL_SERVER_ERROR', 500, UNTOLD],
];

const send = (method: string, path: string, body: object, headers = {}) =>
  request(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const create = (name: string, headers = {}, categoryId = 1) =>
  send('POST', '/v1/pets', { name, categoryId }, headers);

await database.$executeRaw`INSERT INTO pets (id, status, name, category_id)
  VALUES (9001, 'sold', 'plain', 1), (9002, 'sold', 'own', 1), (9003, 'sold', 'other', 1),
    (9004, 'sold', 'assert', 1), (9005, 'sold', 'Rex', 1)`;
await database.$executeRaw`CREATE TRIGGER raise BEFORE INSERT OR UPDATE OR DELETE ON pets
  FOR EACH ROW EXECUTE FUNCTION raise()`;

test.each([
  ['Rex', 'NAME_TAKEN', 409, 'Another animal has this name'],
  ['rat', 'NO_RATS', 422, 'Rats are not sold here'],
])(
  'both APIs return the error that the store defines for the constraint that rejects the name %s',
  async (name, code, status, message) => {
    for (const headers of [{}, { 'Idempotency-Key': name }]) {
      const json = { code, status, message };
      expect(await create(name, headers)).toMatchObject({ status, json });
    }
    const { json } = await graphql(
      `mutation { createPet(input: { name: "${name}", categoryId: 1 }) { id } }`,
    );
    expect(json).toMatchObject({ errors: [{ message, extensions: { code, status } }] });
  },
);

test.each(RAISED)(
  'a trigger exception for the name %s becomes the error %s in both APIs',
  async (name, code, status, message) => {
    const body = { code, status, message };
    for (const answer of [
      await create(name),
      await create(name, { 'Idempotency-Key': name }),
      await create(name, { 'Idempotency-Key': name }),
      await send('PATCH', '/v1/pets/9005', { name }),
    ]) {
      expect(answer).toMatchObject({ status, json: body });
    }
    const id = 9001 + RAISED.findIndex(([each]) => each === name);
    expect(await request(`/v1/pets/${id}`, { method: 'DELETE' })).toMatchObject({ json: body });
    const { json } = await graphql(
      `mutation { createPet(input: { name: "${name}", categoryId: 1 }) { id } deletePet(id: ${id}) { id } }`,
    );
    const error = (path: string) => ({ path: [path], message, extensions: { code, status } });
    expect(json).toMatchObject({ errors: [error('createPet'), error('deletePet')] });
  },
);

test('a trigger exception for one row of a batch fails only the write of that row', async () => {
  const names = ['one', 'plain', 'two', 'own', 'three', 'other', 'four'];
  const answers = await Promise.all(names.map((name) => create(name)));
  expect(answers.map(({ status }) => status)).toEqual([201, 400, 201, 409, 201, 500, 201]);
  const changes = await Promise.all(
    answers
      .filter(({ status }) => status === 201)
      .map(({ headers }, place) =>
        send('PATCH', headers.get('Location')?.replace(/^.*pets/, '/v1/pets') ?? '', {
          name: place === 1 ? 'plain' : `changed ${place}`,
        }),
      ),
  );
  expect(changes.map(({ status }) => status)).toEqual([200, 400, 200, 200]);
});

test('an exception from a deferred trigger is also returned to the client', async () => {
  await database.$executeRaw`CREATE FUNCTION raise_late() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'too late'; END $$`;
  await database.$executeRaw`CREATE CONSTRAINT TRIGGER late AFTER INSERT ON pets
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.name = 'late') EXECUTE FUNCTION raise_late()`;
  expect(await create('late')).toMatchObject({ status: 400, json: { message: 'too late' } });
});

test.each(['23514', '22001', 'P0004', 'XX000', '57014'])(
  'a store cannot define an error for SQLSTATE %s, which PostgreSQL itself reports',
  (sqlState) => {
    const violations = { [sqlState]: (message: string) => tooLate(message) };
    expect(() => createStore({ ...store, violations }, animals.prisma.models)).toThrow(
      `violations.${sqlState}: `,
    );
  },
);
