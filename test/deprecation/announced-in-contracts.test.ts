import { printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { deprecationsIn, text as textRule } from '@store-gateway/graphql';
import { animalsBuilder } from '../support/declared-store.ts';
import { deprecatingStore, until } from '../support/deprecating-store.ts';
import { startGateway } from '../support/gateway.ts';
import { contractOf } from '../support/openapi.ts';

const { request } = await startGateway({ api: deprecatingStore });
const { at } = contractOf((await request('/v1/openapi.json')).json);

const end = (year: number, words: string) =>
  `Deprecated since 25 November 2026. To be removed on 1 January ${year}. Use ${words} instead.`;

test('the SDL deprecates fields, arguments, input fields, enum values and uses of deprecated types', () => {
  const lines = printSchema(deprecatingStore.schema)
    .split('\n')
    .filter((line) => line.includes('@deprecated'))
    .map((line) => line.trim().replace(/To be removed on 1 January (\d+).*/, '$1'));
  expect(lines).toEqual([
    'sold @deprecated(reason: "2031',
    'categoryId: ID @deprecated(reason: "2033',
    'categoryId: ID! @deprecated(reason: "2032',
    'size: Int! @deprecated(reason: "2034',
    'label: Label! @deprecated(reason: "2036',
    'format: String @deprecated(reason: "2038',
    'colour: Colour @deprecated(reason: "2035',
    'oldCard: Card! @deprecated(reason: "2039',
    'extras: Extras @deprecated(reason: "2037',
  ]);
});

test('OpenAPI deprecates routes, parameters and members, and describes deprecated values', () => {
  const route = ['paths', '/pets/{petId}', 'get'];
  expect(at(...route, 'deprecated')).toBe(true);
  expect(at(...route, 'description')).toBe(`An animal.\n\n${end(2040, 'the list')}`);
  expect(at('paths', '/card', 'get', 'parameters')).toContainEqual(
    expect.objectContaining({
      name: 'colour',
      deprecated: true,
      description: `Of the paper.\n\n${end(2035, 'a picture')}`,
    }),
  );
  const schemas = ['components', 'schemas'];
  expect(at(...schemas, 'NewPet', 'properties', 'categoryId')).toMatchObject({
    deprecated: true,
    description: `Its category.\n\n${end(2033, 'the name')}`,
  });
  expect(at(...schemas, 'Card', 'properties', 'size', 'deprecated')).toBe(true);
  expect(at(...schemas, 'Card', 'properties', 'title', 'deprecated')).toBeUndefined();
  expect(at(...schemas, 'Colour', 'deprecated')).toBe(true);
  expect(at(...schemas, 'PetStatus', 'description')).toContain(
    `- \`sold\`: Gone. ${end(2031, 'pending')}`,
  );
});

test('OpenAPI lists 410 and the deprecation headers for routes that may use something deprecated', () => {
  for (const [path, method] of [
    ['/pets', 'get'],
    ['/pets', 'post'],
    ['/card', 'get'],
  ] as const) {
    const status = method === 'get' ? '200' : '201';
    const headers = at('paths', path, method, 'responses', status, 'headers');
    expect(headers).toHaveProperty('Sunset');
    expect(at('paths', path, method, 'responses')).toHaveProperty('410');
  }
  expect(at('components', 'headers', 'listPets-Sunset', 'required')).toBe(false);
  expect(at('components', 'headers', 'getPet-Sunset', 'required')).toBe(true);
});

test('the examples in OpenAPI do not use anything deprecated', () => {
  const body = at('paths', '/pets', 'post', 'requestBody', 'content', 'application/json');
  expect(body).toHaveProperty('example', { name: 'Rex', status: 'available' });
});

test('/docs marks deprecated items and shows their dates', async () => {
  const { text } = await request('/docs', { headers: { Accept: 'text/html' } });
  const marked = Array.from(
    text.matchAll(/<code>(\w+)<\/code>(?:(?!<dt>)[^])*?<\/dt>\s*<dd>([^]*?)<\/dd>/g),
    ([whole, name, description]) => ({
      name,
      isMarked: whole.includes('class="badge deprecated"'),
      description,
    }),
  );
  const deprecated = marked.filter(({ isMarked }) => isMarked);
  expect(new Set(deprecated.map(({ name }) => name))).toEqual(
    new Set(['categoryId', 'colour', 'size', 'label']),
  );
  for (const { description } of deprecated) {
    expect(description).toContain('<span class="deprecated">Deprecated since 25 November 2026.');
  }
});

test('lists, connections, filters and mutations are each deprecated under their own names', () => {
  const builder = animalsBuilder();
  const Pet = builder.prismaObject('Pet', {
    resource: { plural: 'pets' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  const pets = builder.listField(Pet, {
    deprecation: until(2031, 'the connection'),
    filters: (t) => ({
      name: t.string({ rule: textRule(1, 255), deprecation: until(2032, 'nothing') }),
    }),
    find: (query, { database }) => database.pet.findMany(query),
  });
  builder.connectionField(pets, { deprecation: until(2033, 'nothing') });
  builder.updateField(Pet, {
    deprecation: until(2034, 'nothing'),
    input: (t) => ({
      name: t.string({ rule: textRule(1, 255), deprecation: until(2035, 'nothing') }),
    }),
    find: (query, { database }) => database.pet.findUnique(query),
    update: (query, { database }) => database.pet.update(query),
  });
  builder.queryType();
  builder.mutationType();
  const all = deprecationsIn(builder.toSchema());
  expect(Object.fromEntries(all.map(({ of, removal }) => [of, removal]))).toEqual({
    pets: '2031-01-01',
    'Query.pets(name:)': '2032-01-01',
    'Query.petsConnection(name:)': '2032-01-01',
    petsConnection: '2033-01-01',
    updatePet: '2034-01-01',
    'UpdatePetInput.name': '2035-01-01',
  });
});
