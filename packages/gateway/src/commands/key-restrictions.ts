import { UNRESTRICTED, type Restrictions } from '@store-gateway/access';
import { CommandFailure } from '@store-gateway/ops/command-line';
import { ALL } from '../auth/scope-names.ts';
import { isOrigin, itemsOf } from '../config/settings.ts';

export interface GivenRestrictions {
  readonly scopes?: string | undefined;
  readonly origins?: string | undefined;
  readonly documents?: boolean | undefined;
  readonly 'no-documents'?: boolean | undefined;
}

/** What to change of a key's restrictions: the rest stays as it is. */
export type Change = Partial<Restrictions>;

/** @throws CommandFailure (2) for a usage error */
export function readRestrictions(given: GivenRestrictions, known: readonly string[]): Change {
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

/** The restrictions of a key after a change. A key for web pages has the scope `read`, unless it is given others. */
export function restricted(from: Restrictions, change: Change): Restrictions {
  const { scopes, ...others } = { ...from, ...change };
  const isForPages = others.origins !== null;
  const isReadOnly = isForPages && scopes === 'all' && change.scopes === undefined;
  return { scopes: isReadOnly ? new Set(['read']) : scopes, ...others };
}

/** Why there is no such key. */
export function faultOf({ scopes, origins }: Restrictions): string | undefined {
  const mayWrite = scopes === 'all' || scopes.has('write');
  return origins !== null && mayWrite
    ? 'a key with origins, which anyone can read in a web page, must not have the scope write; give --scopes without it'
    : undefined;
}

export const RESTRICTION_COLUMNS = ['SCOPES', 'ORIGINS', 'DOCUMENTS'];

/** The cells of these columns. */
export function restrictionCells({ scopes, origins, documentsOnly }: Restrictions): string[] {
  return [
    scopes === 'all' ? ALL : [...scopes].join(','),
    origins?.join(',') ?? ALL,
    documentsOnly ? 'trusted' : ALL,
  ];
}

function readScopes(list: string, known: readonly string[]): Restrictions['scopes'] {
  const names = itemsOf(list);
  if (names.join() === ALL) {
    return 'all';
  }
  const unknown = names.find((name) => !known.includes(name));
  if (names.length === 0 || unknown !== undefined) {
    const message = `--scopes must be ${ALL} or some of ${known.join(', ')}, not "${unknown ?? list}"`;
    throw new CommandFailure(2, message);
  }
  return new Set(known.filter((name) => names.includes(name)));
}

function readOrigins(list: string): Restrictions['origins'] {
  const origins = itemsOf(list);
  if (origins.join() === ALL) {
    return null;
  }
  const wrong = origins.find((origin) => !isOrigin(origin) || !isSecure(origin));
  if (origins.length === 0 || wrong !== undefined) {
    const message = `--origins must be ${ALL} or origins such as https://shop.example, or http://localhost:5173 for development, not "${wrong ?? list}"`;
    throw new CommandFailure(2, message);
  }
  return [...new Set(origins)];
}

/** Whether nobody on the way can put a page of their own there. */
function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return (
    protocol === 'https:' || /^(?:localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  );
}
