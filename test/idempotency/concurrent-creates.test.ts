import { Pool } from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { startGateway, type Answer } from '../support/gateway.ts';

const { request, post, graphql, databaseUrl } = await startGateway();
const reader = new Pool({ connectionString: databaseUrl });
afterAll(() => reader.end());

const CREATE = 'mutation ($input: NewPet!) { createPet(input: $input) { id name } }';
const ID = /"id":"?(?<id>\d+)/;
/** A name that is too long. */
const INVALID = 'x'.repeat(256);

interface Created {
  readonly name: string;
  readonly answer: Answer;
  readonly id: string | undefined;
  /** The name in the row that a different connection saw after the response. */
  readonly committed: string | undefined;
}

/** Adds animals with these names at once, alternating between the two APIs. */
async function createAll(names: readonly string[]): Promise<Created[]> {
  return Promise.all(
    names.map(async (name, index) => {
      const input = { name, categoryId: 1 };
      const answer = await (index % 2 === 0
        ? post('/v1/pets', input)
        : graphql(CREATE, { input: { ...input, categoryId: '1' } }));
      const id = ID.exec(answer.text)?.groups?.['id'];
      const { rows } = await reader.query<{ name: string }>('SELECT name FROM pets WHERE id = $1', [
        id,
      ]);
      return { name, answer, id, committed: rows[0]?.name };
    }),
  );
}

function numbered(name: string): string[] {
  return Array.from({ length: 50 }, (_, index) => `${name} ${index}`);
}

const codeIn = ({ text }: Answer) => /"code":"(?<code>\w+)"/.exec(text)?.groups?.['code'];

test('each of many concurrent creates returns its own committed row', async () => {
  const created = await createAll(numbered('own'));
  expect(new Set(created.map(({ id }) => id)).size).toBe(created.length);
  expect(created.map(({ committed }) => committed)).toEqual(created.map(({ name }) => name));
  const shown = await Promise.all(created.map(({ id }) => request(`/v1/pets/${id}`)));
  expect(shown.map(({ text }) => text)).toEqual(created.map(restAnimal));
});

test('invalid creates do not fail concurrent valid creates', async () => {
  const names = numbered('valid').map((name, index) => (index % 5 === 0 ? INVALID : name));
  const created = await createAll(names);
  expect(created.map(({ answer, committed }) => codeIn(answer) ?? committed)).toEqual(
    names.map((name) => (name === INVALID ? 'BAD_USER_INPUT' : name)),
  );
});

const FORBID = `
  CREATE FUNCTION forbid() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'forbidden'; END $$;`;

// Citus has no triggers on distributed tables.
test.each(
  [
    {
      by: 'a constraint',
      code: 'BAD_USER_INPUT',
      forbid: `ALTER TABLE pets ADD CONSTRAINT forbidden CHECK (name NOT LIKE 'forbidden%')`,
      allow: 'ALTER TABLE pets DROP CONSTRAINT forbidden',
    },
    {
      by: 'a trigger',
      code: 'INTERNAL_SERVER_ERROR',
      forbid: `${FORBID}
      CREATE TRIGGER forbidden BEFORE INSERT ON pets FOR EACH ROW
        WHEN (NEW.name LIKE 'forbidden%') EXECUTE FUNCTION forbid()`,
      allow: 'DROP TRIGGER forbidden ON pets; DROP FUNCTION forbid',
    },
    {
      by: 'a trigger at commit',
      code: 'INTERNAL_SERVER_ERROR',
      forbid: `${FORBID}
      CREATE CONSTRAINT TRIGGER forbidden AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
        WHEN (NEW.name LIKE 'forbidden%') EXECUTE FUNCTION forbid()`,
      allow: 'DROP TRIGGER forbidden ON pets; DROP FUNCTION forbid',
    },
  ].filter(({ by }) => !(inject('isSharded') && by.startsWith('a trigger'))),
)(
  'creates that $by rejects do not fail concurrent creates',
  async ({ by, code, forbid, allow }) => {
    await reader.query(forbid);
    const names = numbered(by).map((name, index) => (index % 20 < 2 ? `forbidden ${name}` : name));
    const created = await createAll(names);
    await reader.query(allow);
    expect(created.map(({ answer, committed }) => codeIn(answer) ?? committed)).toEqual(
      names.map((name) => (name.startsWith('forbidden') ? code : name)),
    );
    // Each animal is stored once, even if its statement was retried.
    const { rows } = await reader.query('SELECT name FROM pets WHERE name LIKE $1', [`${by}%`]);
    expect(rows).toHaveLength(names.filter((name) => name.startsWith(by)).length);
  },
);
