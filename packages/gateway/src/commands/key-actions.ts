import {
  createKey,
  listKeys,
  restrictKey,
  revokeKey,
  rotateKey,
  type KeyRecord,
  UNRESTRICTED,
} from '@store-gateway/access';
import { CommandFailure, printable, table } from '@store-gateway/ops/command-line';
import { redactKeys } from '@store-gateway/ops';
import {
  faultOf,
  restricted,
  restrictionCells,
  RESTRICTION_COLUMNS,
  type Change,
} from './key-restrictions.ts';
import type { Action } from './with-database.ts';

const MAX_NAME_LENGTH = 255;

export function create(
  name: string | undefined,
  lifetime: number | undefined,
  restrictions: Change,
): Action {
  if (name === undefined || name.trim() === '' || !name.isWellFormed() || name.includes('\0')) {
    throw new CommandFailure(2, 'create needs a NAME that says who uses the key; see --help');
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw new CommandFailure(2, `NAME may have at most ${MAX_NAME_LENGTH} characters`);
  }
  if (redactKeys(name) !== name) {
    throw new CommandFailure(2, 'NAME must not contain an API key');
  }
  return async (database) => {
    const expiresAt = lifetime === undefined ? null : new Date((await database.$now()) + lifetime);
    const all = restricted(UNRESTRICTED, restrictions);
    return `${await createKey(database, name, expiresAt, all)}\n`;
  };
}

export const list: Action = async (database) => {
  const now = new Date(await database.$now());
  return tableOf(await listKeys(database), now);
};

function tableOf(keys: readonly KeyRecord[], now: Date): string {
  const columns = ['ID', 'STATE', 'CREATED', 'EXPIRES', ...RESTRICTION_COLUMNS, 'NAME'];
  const rows = keys.map((key) => [
    String(key.id),
    stateOf(key, now),
    key.createdAt.toISOString(),
    key.expiresAt?.toISOString() ?? 'never',
    ...restrictionCells(key.restrictions),
    printable(key.name),
  ]);
  return table([columns, ...rows]);
}

export function restrict(id: bigint, change: Change): Action {
  return async (database) => {
    const key = (await listKeys(database)).find((each) => each.id === id);
    if (key === undefined || key.revokedAt !== null) {
      throw new CommandFailure(1, `there is no key ${id} to restrict; see list`);
    }
    const restrictions = restricted(key.restrictions, change);
    const fault = faultOf(restrictions);
    if (fault !== undefined) {
      throw new CommandFailure(1, fault);
    }
    if (!(await restrictKey(database, key, restrictions))) {
      throw new CommandFailure(1, `key ${id} was changed at the same time; see list`);
    }
    return tableOf([{ ...key, restrictions }], new Date(await database.$now()));
  };
}

export function revoke(id: bigint): Action {
  return async (database) => {
    if (!(await revokeKey(database, id))) {
      throw new CommandFailure(1, `there is no key ${id} to revoke; see list`);
    }
    return `revoked ${id}\n`;
  };
}

export function rotate(id: bigint, grace = 0): Action {
  return async (database) => {
    const key = await rotateKey(database, id, grace);
    if (key === undefined) {
      throw new CommandFailure(1, `there is no valid key ${id}; see list`);
    }
    return `${key}\n`;
  };
}

function stateOf({ revokedAt, expiresAt }: KeyRecord, now: Date): string {
  if (revokedAt !== null) {
    return 'revoked';
  }
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
}
