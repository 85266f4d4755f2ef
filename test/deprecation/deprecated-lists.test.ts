import { expect, test } from 'vitest';
import { text, deprecationsIn } from '@store-gateway/graphql';
import { animalsBuilder } from '../support/declared-store.ts';
import { until } from '../support/deprecating-store.ts';

test('a list, its connection, their filters and changes of rows are deprecated by their own names', () => {
  const builder = animalsBuilder();
  const Pet = builder.prismaObject('Pet', {
    resource: { plural: 'pets' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  const pets = builder.listField(Pet, {
    deprecation: until(2031, 'the connection'),
    filters: (t) => ({
      name: t.string({ rule: text(1, 255), deprecation: until(2032, 'nothing') }),
    }),
    find: (query, { database }) => database.pet.findMany(query),
  });
  builder.connectionField(pets, { deprecation: until(2033, 'nothing') });
  builder.updateField(Pet, {
    deprecation: until(2034, 'nothing'),
    input: (t) => ({
      name: t.string({ rule: text(1, 255), deprecation: until(2035, 'nothing') }),
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
