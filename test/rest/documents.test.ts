import { expect, test } from 'vitest';
import { prepareOperation } from '@gateway/pothos-rest/operation';

test.each([
  ['a field that the schema lacks', '{ pets { id owner } }'],
  ['an argument that the schema lacks', 'query ($x: Int) { pets(offset: $x) { id } }'],
  ['a variable that does not fit its argument', 'query ($x: String) { pets(limit: $x) { id } }'],
])('a route whose document has %s stops the start', (_what, document) => {
  expect(() => prepareOperation(document)).toThrow(
    "A REST route's document does not fit the schema",
  );
});

test.each([
  ['without a name', '{ pets { id } }'],
  ['on two fields', 'query two { pets { id } more: pets { id } }'],
])('a route whose operation is %s stops the start', (_what, document) => {
  expect(() => prepareOperation(document)).toThrow(
    "A REST route's document is one named operation on one field",
  );
});

test('a document tells which members of its answer are ids, by the names that they have there', () => {
  const { idKeys } = prepareOperation('query list { pets { number: id name categoryId status } }');
  expect(idKeys).toEqual(new Set(['number', 'categoryId']));
});
