import { databaseOrderOf, type Models } from '@store-gateway/data';
import { expectBoundedLists, prefixedColumns } from '@store-gateway/resource';
import { createRest } from '@store-gateway/rest';
import { isRaised } from '@store-gateway/postgres';
import { LIMIT_MESSAGES } from '@store-gateway/http/limits';
import { REFUSALS } from '@store-gateway/access';
import { expectKnownScopes } from '@store-gateway/graphql';
import type { GraphQLSchema } from 'graphql';
import { StartupFailure } from '@store-gateway/ops';
import type { Access, Store, StoreApi, ViolationErrors } from './definition.ts';
import { scopeNames } from './auth/scope-names.ts';
import type { GatewayDatabase } from './database/client.ts';

/**
 * Prepares a store's routes, and checks them and the schema.
 *
 * @param models the models of the store's tables
 * @param scopes the store's scopes in addition to `read` and `write`
 * @throws Error if a list might read a whole table, a route doesn't match the schema, an element of the schema or a route
 *   requires an unknown scope, or `violations` has a SQLSTATE that PostgreSQL itself raises
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
        UNAUTHENTICATED: REFUSALS,
        TOO_MANY_REQUESTS: LIMIT_MESSAGES,
      },
    }),
  };
}

/**
 * Rejects custom errors for SQLSTATEs that PostgreSQL itself raises, because their messages contain names of tables and columns.
 */
function expectRaised(violations: ViolationErrors): void {
  for (const name of Object.keys(violations)) {
    if (/^(?=.*\d)[0-9A-Z]{5}$/.test(name) && !isRaised(name)) {
      throw new Error(
        `violations.${name}: a store can define errors only for P0001 and for SQLSTATEs that begin with I to O, Q to W, Y or Z, which PostgreSQL itself never raises`,
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

/**
 * Checks that the database orders a text column by bytes if lists can be filtered by a prefix of it. With any other order, a
 * request with a rare prefix would read all rows.
 *
 * @throws StartupFailure that says what to change
 */
export async function expectPrefixes(
  schema: GraphQLSchema,
  models: Models,
  { $read }: Pick<GatewayDatabase, '$read'>,
): Promise<void> {
  for (const [name, fields] of prefixedColumns(schema)) {
    const model = models[name];
    const columns = model?.columns.filter(({ field }) => fields.has(field)) ?? [];
    if (model === undefined || columns.length === 0) {
      continue;
    }
    const { bytewise } = await databaseOrderOf(model, $read)();
    const other = columns.find(({ column }) => !bytewise.has(column));
    if (other !== undefined) {
      throw new StartupFailure(
        `lists of ${name} can't be filtered by a prefix of ${other.field}, because the column's collation doesn't order texts by bytes: run ALTER TABLE "${model.table}" ALTER COLUMN "${other.column}" TYPE ${other.pgType} COLLATE "C", or remove the prefix filter`,
      );
    }
  }
}
