// Loaded before the service asks for it: so an operation has a program right after its second use.
import 'graphql-jit';
import { expect, test, vi } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { times } from '../support/large-documents.ts';

const { post } = await startGateway();

/** Of one request: those that tell the first 20 faults and those that carry them, and not one for each of thousands. */
const MAX_ERRORS_MADE = 60;

const CREATE = 'mutation($input: NewPet!) { createPet(input: $input) { id } }';
const GET = 'query($id: ID!) { pet(id: $id) { id } }';
const members = (count: number): string => `{${times(count, (index) => `"k${index}":1`, ',')}}`;
const items = `[${times(40_000, () => '1', ',')}]`;

test.each([
  ['unknown members', CREATE, `{"input":${members(8000)}}`],
  ['items in the place of an object', CREATE, `{"input":${items}}`],
  ['members in the place of a text', CREATE, `{"input":{"name":${members(8000)}}}`],
  ['items in the place of an id', GET, `{"id":${items}}`],
])('thousands of %s are not a fault each', async (_what, query, variables) => {
  const made = vi.spyOn(Error, 'captureStackTrace');
  try {
    const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    for (let use = 1; use <= 3; use += 1) {
      made.mockClear();
      const { status, text } = await post('/graphql', body);
      expect([status, JSON.parse(text)]).toMatchObject([
        200,
        {
          errors: [
            { locations: [{ line: 1 }], extensions: { code: 'BAD_USER_INPUT', status: 400 } },
          ],
        },
      ]);
      expect(made.mock.calls.length).toBeGreaterThan(0);
      expect(made.mock.calls.length).toBeLessThan(MAX_ERRORS_MADE);
      expect(text.length).toBeLessThan(10_000);
    }
  } finally {
    made.mockRestore();
  }
});

test('of an unknown member, however long its name is, the beginning is told', async () => {
  const input = { ['x'.repeat(90_000)]: 1 };
  const { json, text } = await post('/graphql', { query: CREATE, variables: { input } });
  const name = `${'x'.repeat(100)}…`;
  expect(json).toMatchObject({
    errors: [
      {
        extensions: {
          faults: [{}, {}, { path: ['input', name], message: `${name} is not a field of NewPet` }],
        },
      },
    ],
  });
  expect(text.length).toBeLessThan(10_000);
});
