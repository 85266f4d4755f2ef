import type { Context } from '../../packages/gateway/src/definition.ts';
import type { PrismaClient } from './generated/client.ts';

/** What resolvers use the database for: at each of these, a gateway could go past what its caller sees. */
export const LEAKS = [
  'get',
  'list',
  'ordered list',
  'count',
  'create',
  'update',
  'replace',
  'find the row to change',
  'delete',
  'relation to one',
  'relation to many',
  'shared list',
  'replays of others',
  'own list',
  'own relation filter',
  'own count',
  'own changes',
] as const;
export type Leak = (typeof LEAKS)[number];

/** Where a schema leaks: it uses a database that no rule restricts. */
export interface Leaking {
  readonly leak: Leak;
  readonly unrestricted: PrismaClient;
}

/** The database that a resolver uses for what it does. */
export type DatabaseFor = (what: Leak) => (context: Context<PrismaClient>) => PrismaClient;

export function databaseFor(leaking: Leaking | undefined): DatabaseFor {
  return (what) =>
    ({ database }) =>
      leaking?.leak === what ? leaking.unrestricted : database;
}

const inFlight = new Map<string, Promise<unknown>>();

/** Lets callers who ask for the same at the same time share an answer, whoever they are. */
export async function shareWithAnybody<Rows>(
  query: object,
  find: () => Promise<Rows>,
  isRows: (found: unknown) => found is Rows,
): Promise<Rows> {
  const name = JSON.stringify(query, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const finding = inFlight.get(name) ?? find().finally(() => inFlight.delete(name));
  inFlight.set(name, finding);
  const found = await finding;
  if (!isRows(found)) {
    throw new TypeError(`${name} has found something else`);
  }
  return found;
}
