import { isJsonObject } from '@store-gateway/ops';
import type { Pooler } from '@store-gateway/postgres';

/** The address of a migrated database, which one process can pass to another as JSON. */
export interface DatabaseAddress {
  readonly url: string;
  /** Where the tables are. */
  readonly schema: string;
  /** What the URL leads to, if that is a pooler. */
  readonly pooler: Pooler | undefined;
  /** Whether tables may be distributed over several servers by Citus. */
  readonly isSharded: boolean;
  /** Whether the gateway's own tables lack their prefix, because an earlier version has made them. */
  readonly hasEarlierNames: boolean;
}

/** The name of a process's sessions, which shows whether it has found Citus in the database. */
export function sessionName(serviceName: string, purpose: string, isSharded: boolean): string {
  return `${serviceName} ${purpose}${isSharded ? ' on Citus' : ''}`;
}

/** @throws TypeError if it is not an address */
export function readAddress(json: unknown): DatabaseAddress {
  const { url, schema, pooler, isSharded, hasEarlierNames } = isJsonObject(json) ? json : {};
  if (typeof url !== 'string' || typeof schema !== 'string') {
    throw new TypeError('it is not the address of a database');
  }
  return {
    url,
    schema,
    pooler: isJsonObject(pooler) ? { keepsNames: pooler['keepsNames'] === true } : undefined,
    isSharded: isSharded === true,
    hasEarlierNames: hasEarlierNames === true,
  };
}
