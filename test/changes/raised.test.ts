import { expect, test } from 'vitest';
import { openLibrary } from '../support/listed-library.ts';

/* The library passes on what its database's triggers raise. */

const { request, graphql, query } = await openLibrary();
await query(`CREATE FUNCTION raise() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'no such titles here'; END $$`);
await query(`CREATE TRIGGER raise BEFORE UPDATE OF title OR DELETE ON books
  FOR EACH ROW EXECUTE FUNCTION raise()`);
const RAISED = { code: 'BAD_USER_INPUT', message: 'no such titles here', status: 400 };

test.each([
  ['PATCH', '{"title":"Emil"}'],
  ['DELETE', null],
])(
  'a %s that a trigger raises an exception about is 400 with its message',
  async (method, body) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await request('/v1/books/1', { method, headers, body });
    expect(answer).toMatchObject({ status: 400, json: RAISED });
  },
);

test('a mutation that a trigger raises an exception about has its message', async () => {
  const { json } = await graphql('mutation { updateBook(id: 1, input: { title: "Emil" }) { id } }');
  const { message, ...extensions } = RAISED;
  expect(json).toMatchObject({ errors: [{ message, extensions }], data: { updateBook: null } });
});
