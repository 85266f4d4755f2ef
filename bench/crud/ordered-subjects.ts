import type { Client } from 'pg';
import { orderedWorks } from '../load/calls.ts';
import { INSERT_ROWS } from '../load/orders.ts';
import type { Group } from '../plan.ts';
import { OURS } from '../plan.ts';
import { runPackageScript } from '../processes/command.ts';
import { connect, type Postgres } from '../processes/postgres.ts';
import {
  requestFiles,
  requestsFor,
  type Session,
  startCompetitor,
  type Subject,
} from '../processes/session.ts';
import { treeWithOrders } from './ordered-tree.ts';

/** So many that an index is deep. */
const ROWS = 1_000_000;

const nothing = () => Promise.resolve(0);

/** The works of lists add nothing that would have to be removed. */
const READ_ONLY = {
  addSpare: nothing,
  removeCreated: nothing,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

const SERVERS = [OURS, 'express-prisma', 'fastify-pg'] as const;

/** Lists of 20 animals after random ones, in each order, and searches. */
export const ORDERED_GROUPS: readonly Group[] = orderedWorks.map((work) =>
  SERVERS.map((server) => ({ server, surface: 'rest', work, connections: 32 })),
);

/** Starts a gateway whose animals can be listed in several orders and searched, and peers, on one large table. */
export async function startOrdered(
  postgres: Postgres,
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Session> {
  const { path: root } = stack.use(await treeWithOrders(signal));
  const { url } = stack.use(await postgres.createStore(1, signal, { name: 'orders', root }));
  await using client = await connect(url);
  await fill(client);
  const store = { url, pets: ROWS, ...READ_ONLY };
  const env = { DATABASE_URL: url };
  const key = await runPackageScript('keys', ['create', 'bench'], env, signal, root);
  const subjects = new Map<string, Subject>();
  for (const name of SERVERS) {
    const options = { name, store, folder, signal, ...(name === OURS && { root }) };
    const server = stack.use(await startCompetitor(options));
    const { requests: own } = requestsFor(name, ROWS, folder);
    const requests: Subject['requests'] = (surface, work) =>
      own(surface, work).map(({ method, path, body }) => ({
        method,
        path: name === OURS ? path : pathOfPeer(path),
        body,
      }));
    const requestFile = requestFiles(requests, `ordered-${name}`, folder);
    subjects.set(name, { server, store, key, constant: false, requests, requestFile });
  }
  return { postgres, subjects };
}

/** Peers have a route of its own for it, so that their other lists are as fast as without. */
function pathOfPeer(path: string): string {
  return path.replace(/^\/v1\/pets\?(?=sort=|search=)/, '/v1/sorted-pets?');
}

/** Inserts the rows while there are no indexes but the primary key, which takes a tenth of the time. */
async function fill(client: Client): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE tablename = 'pets' AND indexname <> 'pets_pkey'`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX "${name}"`);
  await client.query(INSERT_ROWS, [ROWS]);
  for (const { definition } of indexes) await client.query(definition);
  await client.query('VACUUM ANALYZE pets');
}
