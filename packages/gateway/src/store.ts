import type { GraphQLSchema } from 'graphql';
import { createRest, type Rest, type RestOptions } from '@gateway/pothos-rest/rest';
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

/** @throws if a route doesn't fit the schema */
export function createStore({ schema, rest }: StoreApi): Store {
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
