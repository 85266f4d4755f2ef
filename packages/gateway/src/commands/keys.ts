import {
  type Command,
  CommandFailure,
  rejectPositionals,
  printable,
  table,
} from '@store-gateway/ops/command-line';
import {
  createKey,
  type KeyRecord,
  listKeys,
  type Restrictions,
  restrictKey,
  revokeKey,
  rotateKey,
  UNRESTRICTED,
} from '@store-gateway/access';
import { isStorableText, redactKeys, toInt64 } from '@store-gateway/ops';
import type { Gateway } from '../definition.ts';
import { ALL, scopeNames } from '../auth/scope-names.ts';
import { isOrigin, itemsOf, VARIABLE_NAMES } from '../config/config.ts';
import {
  EXIT_CODES,
  type GatewayAction,
  readDuration,
  WHICH_STORE,
  withDatabase,
} from './on-database.ts';

const helpOf = (scopes: readonly string[]): string => `Manages the API keys of the store.

  npm run --silent keys -- create NAME [--expires DURATION] [RESTRICTIONS]
                                                            create a key and print it (shown only once)
  npm run --silent keys -- list                             list all keys, without their secrets
  npm run --silent keys -- restrict ID RESTRICTIONS         change the restrictions of a key, and list it
  npm run --silent keys -- revoke ID                        revoke a key
  npm run --silent keys -- rotate ID [--grace DURATION]     replace a key and print the new one

RESTRICTIONS (a key without any may do everything):
  --scopes SCOPES    only what these scopes allow: ${scopes.join(', ')}; or all
  --origins ORIGINS  only from web pages of these origins, such as https://shop.example; or all. Such a key
                     can't have the scope write, and by default has only read
  --documents        only trusted documents, sent to /graphql; --no-documents lifts this

Separate the items of a list with commas. restrict changes only the restrictions that you give.
DURATION is a number and a unit: 45s, 30m, 12h or 90d. Without --expires, a key never expires. A rotated key
is revoked at once, or after the grace period; the new key has the same lifetime and restrictions. Every
process rejects an invalid key, and applies changed restrictions, within 5 seconds.
${WHICH_STORE}

${EXIT_CODES}
`;

const OPTIONS = {
  expires: { type: 'string' },
  grace: { type: 'string' },
  scopes: { type: 'string' },
  origins: { type: 'string' },
  documents: { type: 'boolean' },
  'no-documents': { type: 'boolean' },
} as const;

export function keysCommand(gateway: Gateway): Command<typeof OPTIONS> {
  const scopes = scopeNames(gateway.access);
  return {
    name: 'keys',
    help: helpOf(scopes),
    options: OPTIONS,
    variables: VARIABLE_NAMES,
    read: (given) =>
      withDatabase(gateway, readAction(given, scopes), {
        purpose: 'keys',
        mayMakeStore: given.positionals[0] === 'create',
      }),
  };
}

interface GivenKeys {
  readonly values: {
    readonly expires?: string | undefined;
    readonly grace?: string | undefined;
    readonly scopes?: string | undefined;
    readonly origins?: string | undefined;
    readonly documents?: boolean | undefined;
    readonly 'no-documents'?: boolean | undefined;
  };
  readonly positionals: readonly string[];
}

/** Reads the action that a command line requests. @throws CommandFailure (2) for a usage error */
function readAction({ values, positionals }: GivenKeys, scopes: readonly string[]): GatewayAction {
  const { expires, grace } = values;
  const [command, subject, ...rest] = positionals;
  rejectPositionals(rest);
  const restrictions = readRestrictions(values, scopes);
  const isRestricting = Object.keys(restrictions).length > 0;
  if (isRestricting && command !== 'create' && command !== 'restrict') {
    const message =
      '--scopes, --origins and --documents work only with create and restrict; see --help';
    throw new CommandFailure(2, message);
  }
  if (
    (expires !== undefined && command !== 'create') ||
    (grace !== undefined && command !== 'rotate')
  ) {
    throw new CommandFailure(
      2,
      '--expires works only with create, and --grace only with rotate; see --help',
    );
  }
  switch (command) {
    case 'create':
      return create(
        subject,
        expires === undefined ? undefined : readDuration('--expires', expires),
        restrictions,
      );
    case 'list':
      rejectPositionals(subject === undefined ? [] : [subject]);
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
  if (name === undefined || name.trim() === '' || !isStorableText(name)) {
    throw new CommandFailure(
      2,
      'create needs a NAME that identifies the user of the key; see --help',
    );
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
      throw new CommandFailure(1, `there is no key ${id} to restrict; list shows all keys`);
    }
    const restrictions = restricted(key.restrictions, change);
    const fault = faultOf(restrictions);
    if (fault !== undefined) {
      throw new CommandFailure(1, fault);
    }
    if (!(await restrictKey(database, key, restrictions))) {
      throw new CommandFailure(
        1,
        `key ${id} was changed by a concurrent command; list shows its current restrictions`,
      );
    }
    return tableOf([{ ...key, restrictions }], new Date(await database.$now()));
  };
}

function revoke(id: bigint): GatewayAction {
  return async (database) => {
    if (!(await revokeKey(database, id))) {
      throw new CommandFailure(1, `there is no key ${id} to revoke; list shows all keys`);
    }
    return `revoked ${id}\n`;
  };
}

function rotate(id: bigint, grace: number): GatewayAction {
  return async (database) => {
    const key = await rotateKey(database, id, grace);
    if (key === undefined) {
      throw new CommandFailure(1, `there is no valid key ${id}; list shows all keys`);
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

/** Changes of a key's restrictions. Omitted restrictions stay unchanged. */
type Change = Partial<Restrictions>;

/** @throws CommandFailure (2) for a usage error */
function readRestrictions(given: GivenKeys['values'], known: readonly string[]): Change {
  const { scopes, origins, documents = false, 'no-documents': noDocuments = false } = given;
  if (documents && noDocuments) {
    throw new CommandFailure(2, 'give either --documents or --no-documents; see --help');
  }
  const change = {
    ...(scopes !== undefined && { scopes: readScopes(scopes, known) }),
    ...(origins !== undefined && { origins: readOrigins(origins) }),
    ...((documents || noDocuments) && { documentsOnly: documents }),
  };
  const fault = faultOf(restricted(UNRESTRICTED, change));
  if (fault !== undefined) {
    throw new CommandFailure(2, fault);
  }
  return change;
}

/** Returns the restrictions of a key after a change. By default, a key for web pages has the scope `read`. */
function restricted(from: Restrictions, change: Change): Restrictions {
  const { scopes, ...others } = { ...from, ...change };
  const isForPages = others.origins !== null;
  const isReadOnly = isForPages && scopes === 'all' && change.scopes === undefined;
  return { scopes: isReadOnly ? new Set(['read']) : scopes, ...others };
}

/** Returns the error message for restrictions that can't be combined; undefined for all others. */
function faultOf({ scopes, origins }: Restrictions): string | undefined {
  const mayWrite = scopes === 'all' || scopes.has('write');
  return origins !== null && mayWrite
    ? 'a key with origins is public, because web pages contain it, so it must not have the scope write; give --scopes without write'
    : undefined;
}

const RESTRICTION_COLUMNS = ['SCOPES', 'ORIGINS', 'DOCUMENTS'];

/** Returns restrictions as the cells of RESTRICTION_COLUMNS. */
function restrictionCells({ scopes, origins, documentsOnly }: Restrictions): string[] {
  return [
    scopes === 'all' ? ALL : [...scopes].join(','),
    origins?.join(',') ?? ALL,
    documentsOnly ? 'trusted' : ALL,
  ];
}

function readScopes(text: string, known: readonly string[]): Restrictions['scopes'] {
  const names = itemsOf(text);
  if (names.join() === ALL) {
    return 'all';
  }
  const unknown = names.find((name) => !known.includes(name));
  if (names.length === 0 || unknown !== undefined) {
    const message = `--scopes must be ${ALL} or some of ${known.join(', ')}, not "${unknown ?? text}"`;
    throw new CommandFailure(2, message);
  }
  return new Set(known.filter((name) => names.includes(name)));
}

function readOrigins(text: string): Restrictions['origins'] {
  const origins = itemsOf(text);
  if (origins.join() === ALL) {
    return null;
  }
  const wrong = origins.find((origin) => !isOrigin(origin) || !isSecure(origin));
  if (origins.length === 0 || wrong !== undefined) {
    const message = `--origins must be ${ALL} or origins such as https://shop.example, or http://localhost:5173 for development, not "${wrong ?? text}"`;
    throw new CommandFailure(2, message);
  }
  return [...new Set(origins)];
}

/** Whether an origin is HTTPS or this machine, so that network attackers can't serve pages from it. */
function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return (
    protocol === 'https:' || /^(?:localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  );
}
