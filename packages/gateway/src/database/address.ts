import { isJsonObject } from '@store-gateway/ops';
import type { Pooler } from '@store-gateway/postgres';

/** The address of a migrated database, which one process can pass to another as JSON. */
export interface DatabaseAddress {
  readonly url: string;
  /** The schema of the tables. */
  readonly schema: string;
  /** The pooler at the URL, if there is one. */
  readonly pooler: Pooler | undefined;
  /** Whether Citus may distribute tables over several servers. */
  readonly isSharded: boolean;
  /** Whether the gateway's own tables lack their prefix, because an earlier version created them. */
  readonly hasEarlierNames: boolean;
}

/** Returns the application_name of a process's sessions, which shows whether the process has found Citus in the database. */
export function sessionName(serviceName: string, purpose: string, isSharded: boolean): string {
  return `${serviceName} ${purpose}${isSharded ? ' on Citus' : ''}`;
}

/** @throws TypeError if the value is not a database address */
export function readAddress(json: unknown): DatabaseAddress {
  const { url, schema, pooler, isSharded, hasEarlierNames } = isJsonObject(json) ? json : {};
  if (typeof url !== 'string' || typeof schema !== 'string') {
    throw new TypeError('the value is not a database address');
  }
  return {
    url,
    schema,
    pooler: isJsonObject(pooler) ? { keepsNames: pooler['keepsNames'] === true } : undefined,
    isSharded: isSharded === true,
    hasEarlierNames: hasEarlierNames === true,
  };
}
