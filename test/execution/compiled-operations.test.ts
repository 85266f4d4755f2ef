import { compileQuery } from 'graphql-jit';
import { expect, test, vi } from 'vitest';
import { startGateway } from '../support/gateway.ts';

vi.mock(import('graphql-jit'), { spy: true });
const compiled = vi.mocked(compileQuery);

const { post } = await startGateway();

/** Sends an operation `times` times in sequence, and returns how many operations were compiled. */
async function compiledBy(times: number, query: string): Promise<number> {
  const before = compiled.mock.calls.length;
  for (let turn = 0; turn < times; turn += 1) {
    await post('/graphql', { query, variables: { yes: true } });
  }
  return compiled.mock.calls.length - before;
}

const create = (alias: string) => `${alias}: createPet(input: { name: "x", categoryId: 1 }) { id }`;
const many = Array.from({ length: 30 }, (_, index) => `a${index}: pet(id: ${index}) { id name }`);

test.each([
  ['a query', '{ pets { id } }'],
  ['several fields of a query', '{ a: pets { id } b: pets { name } }'],
  ['a mutation of one field', `mutation { ${create('a')} }`],
  [
    'a mutation that selects a version',
    `mutation { ${create('a').replace('id }', 'id version }')} }`,
  ],
])('%s is compiled once, when it is sent for the second time', async (_what, query) => {
  expect(await compiledBy(1, query)).toBe(0);
  const before = compiled.mock.calls.length;
  await post('/graphql', { query });
  await expect.poll(() => compiled.mock.calls.length).toBe(before + 1);
  expect(await compiledBy(3, query)).toBe(0);
});

test.each([
  ['with several mutation fields', `mutation { ${create('a')} ${create('b')} }`],
  [
    'whose mutation fields are in a fragment',
    `mutation { ...F } fragment F on Mutation { ${create('a')} }`,
  ],
  ['with the alias __proto__', '{ pets { __proto__: id name } }'],
  ['with @include', 'query($yes: Boolean!) { pets { id @include(if: $yes) } }'],
  ['with 30 fields', `{ ${many.join(' ')} }`],
  ['with a nullable variable in a list', 'query($id: ID = 1) { pets(ids: [$id]) { id } }'],
])('an operation %s is never compiled', async (_what, query) => {
  expect(await compiledBy(4, query)).toBe(0);
});
