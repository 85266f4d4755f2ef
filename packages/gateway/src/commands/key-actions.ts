import {
  createKey,
  listKeys,
  restrictKey,
  revokeKey,
  rotateKey,
  type KeyRecord,
  UNRESTRICTED,
} from '@store-gateway/access';
import { CommandFailure, expectNone, printable, table } from '@store-gateway/ops/command-line';
import { redactKeys, toInt64 } from '@store-gateway/ops';
import {
  faultOf,
  type GivenRestrictions,
  readRestrictions,
  restricted,
  restrictionCells,
  RESTRICTION_COLUMNS,
  type Change,
} from './key-restrictions.ts';
import { readDuration, type GatewayAction } from './on-database.ts';

interface GivenKeys {
  readonly values: GivenRestrictions & {
    readonly expires?: string | undefined;
    readonly grace?: string | undefined;
  };
  readonly positionals: readonly string[];
}

/** What a command line asks for. @throws CommandFailure (2) for a usage error */
export function readAction(
  { values: { expires, grace, ...values }, positionals }: GivenKeys,
  scopes: readonly string[],
): GatewayAction {
  const [command, subject, ...rest] = positionals;
  expectNone(rest);
  const restrictions = readRestrictions(values, scopes);
  const isRestricting = Object.keys(restrictions).length > 0;
  if (isRestricting && command !== 'create' && command !== 'restrict') {
    const message = '--scopes, --origins and --documents go with create and restrict; see --help';
    throw new CommandFailure(2, message);
  }
  if (
    (expires !== undefined && command !== 'create') ||
    (grace !== undefined && command !== 'rotate')
  ) {
    throw new CommandFailure(2, '--expires goes with create, --grace with rotate; see --help');
  }
  switch (command) {
    case 'create':
      return create(
        subject,
        expires === undefined ? undefined : readDuration('--expires', expires),
        restrictions,
      );
    case 'list':
      expectNone(subject === undefined ? [] : [subject]);
      return list;
    case 'restrict':
      if (!isRestricting) {
        const message = 'restrict needs --scopes, --origins or --documents; see --help';
        throw new CommandFailure(2, message);
      }
      return restrict(readId(subject), restrictions);
    case 'revoke':
      return revoke(readId(subject));
    case 'rotate':
      return rotate(readId(subject), grace === undefined ? 0 : readDuration('--grace', grace));
    default:
      throw new CommandFailure(2, 'give create, list, restrict, revoke or rotate; see --help');
  }
}

function readId(text = ''): bigint {
  const id = toInt64(text);
  if (id === undefined || id < 1n) {
    throw new CommandFailure(2, 'ID must be the number of a key, as list shows it; see --help');
  }
  return id;
}

const MAX_NAME_LENGTH = 255;

function create(
  name: string | undefined,
  lifetime: number | undefined,
  restrictions: Change,
): GatewayAction {
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

const list: GatewayAction = async (database) => {
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

function restrict(id: bigint, change: Change): GatewayAction {
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

function revoke(id: bigint): GatewayAction {
  return async (database) => {
    if (!(await revokeKey(database, id))) {
      throw new CommandFailure(1, `there is no key ${id} to revoke; see list`);
    }
    return `revoked ${id}\n`;
  };
}

function rotate(id: bigint, grace: number): GatewayAction {
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
