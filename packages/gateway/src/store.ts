import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IRouter } from 'express';
import { isNonNullType, type GraphQLSchema } from 'graphql';
import type { Models } from '@store-gateway/data';
import type { OperationStep } from '@store-gateway/graphql/execution';
import type { Step } from '@store-gateway/http';
import { expectBoundedLists } from '@store-gateway/resource';
import { createRest, type PreparedRoute, type Rest, type RestOptions } from '@store-gateway/rest';
import { isRaised } from '@store-gateway/postgres';
import { LIMIT_MESSAGES } from '@store-gateway/http/limits';
import { type Caller, expiredMessage, REFUSALS } from '@store-gateway/access';
import { expectKnownScopes } from '@store-gateway/graphql';
import type { Access } from './auth/access.ts';
import { scopeNames } from './auth/scope-names.ts';
import type { Services, ViolationErrors } from './context.ts';

/** What a store serves, as it is written: a schema, and REST routes that are clients of it. */
export interface StoreApi<Client = object> {
  readonly schema: GraphQLSchema;
  /** Routes, the path that they are below, and OpenAPI's Info Object. */
  readonly rest: Pick<RestOptions, 'routes' | 'basePath' | 'info'>;
  /** Its own errors for violated constraints, by the names of these, and for what `RAISE EXCEPTION` raises, by SQLSTATE. */
  readonly violations?: ViolationErrors;
  // Methods, so that each client's own types fit.
  /** Makes what resolvers use besides, once for all requests: members of their context. */
  services?(services: Services<Client>): object;
  /** What every request is to pass before it is routed, in this order: middlewares belong here, and not into Express. */
  readonly steps?: readonly Step[];
  /**
   * Runs around every operation of both surfaces, in this order: what would be a plugin of Yoga's or Envelop's
   * belongs here. With any, no two requests share a response, as each is an operation.
   */
  readonly operationSteps?: readonly OperationStep<Caller>[];
  /** Adds what is served besides, at addresses that the gateway has no use for. */
  mount?(router: IRouter, app: MountedApp<Client>): void;
}

/** What handlers of a store's own may use. */
export interface MountedApp<Client = object> extends Services<Client> {
  /**
   * Authenticates a request and counts it, to be called before anything else of it is read. What it throws belongs to `next`. Its
   * caller has the scope `read` for GET and HEAD, `write` for any other method.
   *
   * @throws UNAUTHENTICATED, TOO_MANY_REQUESTS, or FORBIDDEN if the caller's key isn't for such requests or lacks the scope
   */
  readonly authenticate: (request: IncomingMessage, response: ServerResponse) => Promise<Caller>;
  /** The database with the rows that a caller sees. */
  readonly databaseOf: (caller: Caller) => Client;
}

/** The same, with routes that fit the schema. */
export interface Store extends StoreApi {
  readonly rest: Rest;
}

/**
 * @param models of the store's tables
 * @param scopes of its callers, beside `read` and `write`
 * @throws if a list might read a whole table, a route doesn't fit the schema, something needs a scope that there isn't, or
 *   a SQLSTATE isn't a store's own
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

/** @throws if PostgreSQL reports errors of its own by a SQLSTATE, whose messages have names of tables and columns */
function expectRaised(violations: ViolationErrors): void {
  for (const name of Object.keys(violations)) {
    if (/^(?=.*\d)[0-9A-Z]{5}$/.test(name) && !isRaised(name)) {
      throw new Error(
        `violations.${name}: a store has errors of its own for P0001, and for SQLSTATEs that begin with one of I to O, Q to W, Y and Z: those that only RAISE EXCEPTION reports`,
      );
    }
  }
}

/** Loads what a gateway serves. */
export async function loadStore(gateway: {
  readonly load: () => Promise<StoreApi>;
  readonly access: Pick<Access, 'scopes'>;
  readonly prisma: { readonly models: Models };
}): Promise<Store> {
  return createStore(await gateway.load(), gateway.prisma.models, gateway.access.scopes);
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
