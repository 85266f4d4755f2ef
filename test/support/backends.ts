import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';

/** Milliseconds between two looks. */
const INTERVAL = 20;

/** Of the sessions of a service: PostgreSQL's own view of them. */
const SESSIONS = `
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'animal-store-gateway serve'`;

/** The processes of PostgreSQL that serve a service on this database. */
export async function backendsOf(observer: Client): Promise<number[]> {
  const { rows } = await observer.query<{ pid: number }>(`SELECT pid ${SESSIONS}`);
  return rows.map(({ pid }) => pid);
}

/** Counts them until it is disposed of. */
export function watchBackends(observer: Client): AsyncDisposable & { readonly most: () => number } {
  let most = 0;
  const over = new AbortController();
  const watch = async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, (await backendsOf(observer)).length);
      await setTimeout(INTERVAL);
    }
  };
  const watching = watch();
  return {
    most: () => most,
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await watching;
    },
  };
}
