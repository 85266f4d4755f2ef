import { Client } from 'pg';
import { parseExactly, isJsonObject } from '@store-gateway/ops';
import type { Answer } from './gateway.ts';
import { newBody, type Resource } from './resources.ts';
import { serveStore, STORES, type ServedStore } from './stores.ts';

/** How many rows each resource has. */
export const ROWS = 3;

/** A store that has rows. */
export interface FilledStore extends ServedStore {
  /** The responses with which the rows of a resource were added, by its plural. */
  readonly added: ReadonlyMap<string, readonly Answer[]>;
  /** A body that adds one more, which refers to the last of what it refers to. */
  readonly body: (resource: Resource, number: number) => Record<string, unknown>;
}

/** Every store, each on a database of its own, with rows of each resource whose ids a double can't hold. */
export function fillStores(): Promise<readonly FilledStore[]> {
  return Promise.all(STORES.map(async (store) => fill(await serveStore(store))));
}

async function fill(store: ServedStore): Promise<FilledStore> {
  await useLargeIds(store);
  const added = new Map<string, readonly Answer[]>();
  const body: FilledStore['body'] = (resource, number) =>
    newBody(resource, number, (plural) => idOf(added.get(plural)?.at(-1)));
  for (const resource of store.resources) {
    const answers: Answer[] = [];
    for (let number = 0; number < ROWS; number += 1) {
      answers.push(await post(store, resource.create.path, body(resource, number)));
    }
    added.set(resource.plural, answers);
  }
  return { ...store, added, body };
}

async function useLargeIds({ env, gateway }: ServedStore): Promise<void> {
  const client = new Client(env['DATABASE_URL']);
  await client.connect();
  for (const { table, id } of Object.values(gateway.prisma.models)) {
    await client.query(`SELECT setval(pg_get_serial_sequence($1, $2), ${2n ** 53n})`, [table, id]);
  }
  await client.end();
}

/** Sends a POST whose body has all digits of its integers. */
export function post(
  { request }: Pick<ServedStore, 'request'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return sendTo({ request })('POST', path, body, headers);
}

/** Returns what sends requests of any method to a store. */
export function sendTo({ request }: Pick<ServedStore, 'request'>) {
  return (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    request(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body, exact) }),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
}

function exact(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}

/** The id of a row, exact. */
export function idOf(answer: Pick<Answer, 'text'> | undefined): unknown {
  const row = parseExactly(answer?.text ?? '');
  return isJsonObject(row) ? row['id'] : undefined;
}
