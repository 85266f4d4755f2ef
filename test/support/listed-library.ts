import { Client } from 'pg';
import { isJsonObject } from '@store-gateway/ops';
import { onFileFinished } from './clean-up.ts';
import type { Answer } from './gateway.ts';
import { memberAt, objectsIn } from './json-members.ts';
import { serveStore, STORES } from './stores.ts';

/** Titles with what patterns take for wildcards, each of five books. */
const TITLES = [
  'Emil',
  'emil',
  'Emil 100% sure',
  'Emil 100 sure',
  'a_b c',
  'axb c',
  'back\\slash',
  'Äpple',
  'Zoo',
];

/**
 * The library with 4 authors, 45 books and 50 loans, of which many are alike in all columns but the id.
 *
 * @param serve `runStore` for a process whose requests wait longer for the database
 */
export async function openLibrary(serve: typeof serveStore = serveStore) {
  const [, library] = STORES;
  if (library === undefined) {
    throw new Error('there is no second store');
  }
  const { request, env } = await serve(library);
  const client = new Client(env['DATABASE_URL']);
  await client.connect();
  onFileFinished(() => client.end());
  await client.query(`INSERT INTO authors (name) SELECT 'Author' FROM generate_series(1, 4)`);
  await client.query(
    `INSERT INTO books (title, isbn, author_id)
    SELECT ($1::text[])[n % 9 + 1], lpad(n::text, 13, '0'), n % 4 + 1 FROM generate_series(1, 45) AS n`,
    [TITLES],
  );
  await client.query(`INSERT INTO loans (borrower, due, book_id)
    SELECT 'B' || n * 7 % 5, timestamptz '2026-01-01Z' + n * 11 % 6 * interval '1 day 1 ms', n % 45 + 1
    FROM generate_series(1, 50) AS n`);

  function graphql(query: string, variables?: object): Promise<Answer> {
    return request('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
  }

  /** A page of a connection. */
  async function page(list: string, args: string, count = '') {
    const { json, text } = await graphql(
      `{ page: ${list}Connection(${args}) { edges { cursor node { id } } ${count} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    );
    const found = memberAt(json, 'data', 'page');
    if (!isJsonObject(found)) {
      throw new Error(text);
    }
    const edges = objectsIn(found['edges']);
    return {
      ids: edges.map((edge) => String(memberAt(edge, 'node', 'id'))),
      cursors: edges.map(({ cursor }) => String(cursor)),
      pageInfo: isJsonObject(found['pageInfo']) ? found['pageInfo'] : {},
      totalCount: found['totalCount'],
    };
  }

  /** The ids that a statement finds. */
  async function idsBy(sql: string): Promise<string[]> {
    const { rows } = await client.query<{ id: string }>(sql);
    return rows.map(({ id }) => id);
  }

  return { request, graphql, page, idsBy, query: (sql: string) => client.query(sql) };
}

/** The ids of a list of REST. */
export function idsOf({ json }: Answer): string[] {
  return objectsIn(json).map(({ id }) => String(id));
}

/** The messages of GraphQL's errors. */
export function messageOf({ json }: Answer): string {
  const errors = objectsIn(memberAt(json, 'errors'));
  return errors.map(({ message }) => String(message)).join();
}
