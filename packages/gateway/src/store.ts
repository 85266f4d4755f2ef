import { isNonNullType, type GraphQLSchema } from 'graphql';
import type { Models } from '@gateway/batched-prisma/model';
import { expectBoundedLists } from '@gateway/pothos-plugins/bounded-lists';
import {
  createRest,
  type PreparedRoute,
  type Rest,
  type RestOptions,
} from '@gateway/pothos-rest/rest';
import { LIMIT_MESSAGES } from '@gateway/rate-limits/rejection';
import { expiredMessage, REFUSALS } from './auth/refusals.ts';

/** What a store serves, as it is written: a schema, and REST routes that are clients of it. */
export interface StoreApi {
  readonly schema: GraphQLSchema;
  readonly rest: Pick<RestOptions, 'routes' | 'basePath' | 'info'>;
}

/** The same, with routes that fit the schema. */
export interface Store {
  readonly schema: GraphQLSchema;
  readonly rest: Rest;
}

/**
 * @param models of the store's tables
 * @throws if a list might read a whole table, or a route doesn't fit the schema
 */
export function createStore({ schema, rest }: StoreApi, models: Models): Store {
  expectBoundedLists(schema, models);
  return {
    schema,
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

/** The first list that can be asked for by its address alone. */
export function firstList({ routes }: Rest): PreparedRoute | undefined {
  return routes.find(
    ({ method, variables: { path, query } }) =>
      method === 'get' &&
      path.length === 0 &&
      query.some(([name]) => name === 'limit') &&
      !query.some(
        ([, { type, defaultValue }]) => isNonNullType(type) && defaultValue === undefined,
      ),
  );
}
