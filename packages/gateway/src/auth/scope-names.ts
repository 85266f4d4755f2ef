/** The scopes that a store defines, by name. */
interface OwnScopes {
  readonly scopes?: object | undefined;
}

/** The scopes of every store: queries need `read`, mutations `write`. */
const OF_ALL_STORES = ['read', 'write'];

/** The value of the `keys` command's option `--scopes` that means all scopes. */
export const ALL = 'all';

/** Matches a scope-token of OAuth 2.0 (RFC 6749, 3.3) in lower case. */
const NAME = /^[a-z][a-z0-9]*(?:[-_.:][a-z0-9]+)*$/;

export function scopeNames({ scopes = {} }: OwnScopes): readonly string[] {
  return [...OF_ALL_STORES, ...Object.keys(scopes)];
}

export function* faultsOfScopes({ scopes = {} }: OwnScopes): Iterable<string> {
  for (const name of Object.keys(scopes)) {
    if (name === ALL || OF_ALL_STORES.includes(name)) {
      yield `access.scopes.${name} needs a different name: read, write and all are built in`;
    } else if (!NAME.test(name)) {
      yield `names in access.scopes must be lower-case words such as prices, not ${JSON.stringify(name)}`;
    }
  }
}
