import type { Access, ViolationErrors, StoreApi, Store } from './definition.ts';
import type { Models } from '@store-gateway/data';
import { expectBoundedLists } from '@store-gateway/resource';
import { createRest } from '@store-gateway/rest';
import { isRaised } from '@store-gateway/postgres';
import { LIMIT_MESSAGES } from '@store-gateway/http/limits';
import { expiredMessage, REFUSALS } from '@store-gateway/access';
import { expectKnownScopes } from '@store-gateway/graphql';
import { scopeNames } from './auth/scope-names.ts';

/**
 * @param models of the store's tables
 * @param scopes of its callers, beside `read` and `write`
 * @throws if a list might read a whole table, a route doesn't fit the schema, something needs an unknown scope, or
 *   a SQLSTATE is PostgreSQL's own
 */
export function createStore(api: StoreApi, models: Models, scopes: Access['scopes'] = {}): Store {
  const { schema, rest, violations = {} } = api;
  expectKnownScopes(schema, new Set(scopeNames({ scopes })));
  expectBoundedLists(schema, models);
  expectRaised(violations);
  return {
    ...api,
    rest: createRest({
      schema,
      ...rest,
      messages: {
        UNAUTHENTICATED: { ...REFUSALS, expiredKey: expiredMessage(new Date('2026-01-31T12:00Z')) },
        TOO_MANY_REQUESTS: LIMIT_MESSAGES,
      },
    }),
  };
}

/** @throws if PostgreSQL itself raises a SQLSTATE, because its messages contain names of tables and columns */
function expectRaised(violations: ViolationErrors): void {
  for (const name of Object.keys(violations)) {
    if (/^(?=.*\d)[0-9A-Z]{5}$/.test(name) && !isRaised(name)) {
      throw new Error(
        `violations.${name}: a store can define errors for P0001 and for SQLSTATEs that begin with I to O, Q to W, Y or Z, which only RAISE EXCEPTION reports`,
      );
    }
  }
}

export async function loadStore(gateway: {
  readonly load: () => Promise<StoreApi>;
  readonly access: Pick<Access, 'scopes'>;
  readonly prisma: { readonly models: Models };
}): Promise<Store> {
  return createStore(await gateway.load(), gateway.prisma.models, gateway.access.scopes);
}
