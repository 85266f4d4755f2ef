import type { Caller } from '@store-gateway/access';
import {
  type Operation,
  type OperationRequest,
  refusedMutations,
  type MutationOutcome,
  createExecute,
  takeOperationSteps,
  type ExecuteInTime,
  createDeadline,
  withinScopes,
} from '@store-gateway/graphql/execution';
import { logRequest, loggedRequest, type RouteOf } from '@store-gateway/ops';
import {
  createClientAddress,
  endpointPathOf,
  createRequestListener,
  createRequestQueue,
  type Health,
  isRead,
  type RequestListenerOptions,
} from '@store-gateway/http';
import { createEndpoints, inOpenApi, notFound, writeError } from '@store-gateway/rest';
import type { Gateway, Store } from '../definition.ts';
import type { RequestListener } from 'node:http';
import express from 'express';
import { expectScopes } from '@store-gateway/graphql';
import { createAdmission } from '../auth/admission.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/client.ts';
import { type DeprecatedCalls, observeRemovals } from '../usage/deprecated-calls.ts';
import type { AccessTokens } from '@store-gateway/access/tokens';
import type { RateLimits } from '@store-gateway/http/limits';
import { createContexts } from './contexts.ts';
import { chargeExecutions, executeFairly } from './fair-execution.ts';
import { createFirstResponses } from './first-responses.ts';
import { createGraphQLEndpoints, type GraphQLOptions } from './graphql-endpoint.ts';
import { createKeyEndpoints } from './key-endpoint.ts';
import { createFrame, destinationsOf, DOCUMENTATION, GRAPHQL_PATH } from './pages/frame.ts';
import { createNotFoundPage, createPages, mountLanding } from './pages/pages.ts';
import { createPlayground } from './pages/playground.ts';

/**
 * Logs the line of a mutation. It isn't part of its request's line, which is written when the client has its answer, or has
 * gone: a mutation may take longer.
 */
function logMutation(
  { caller }: Pick<OperationRequest<Caller>, 'caller'>,
  { operation, ids, outcome }: MutationOutcome,
): void {
  const { id: requestId, traceId } = loggedRequest() ?? {};
  logRequest({ requestId, traceId, keyId: caller.name, operation, ids, outcome }, 'mutation');
}

/** Returns the path of the endpoint that answered a request, with parameters as in OpenAPI. */
const routeOf: RouteOf = (request) => {
  if ('route' in request && 'baseUrl' in request) {
    return routeFound(request);
  }
  const path = endpointPathOf(request);
  return path && inOpenApi(path);
};

function routeFound({ route, baseUrl }: { route: unknown; baseUrl: unknown }): string | undefined {
  const isRoute = typeof route === 'object' && route !== null && 'path' in route;
  if (!isRoute || typeof route.path !== 'string' || typeof baseUrl !== 'string') {
    return undefined;
  }
  const path = route.path === '/' && baseUrl !== '' ? '' : route.path;
  return inOpenApi(baseUrl + path);
}

type SurfaceOf = NonNullable<RequestListenerOptions['surfaceOf']>;

/** Returns which API answers at an address. */
function createSurfaceOf(restPath: string): SurfaceOf {
  return (path) => {
    if (isAtOrUnder(restPath, path)) {
      return 'rest';
    }
    return isAtOrUnder(GRAPHQL_PATH, path) ? 'graphql' : 'other';
  };
}

function isAtOrUnder(address: string, path: string): boolean {
  return (
    path.startsWith(address) && (path.length === address.length || path[address.length] === '/')
  );
}

export type AppOptions = GraphQLOptions &
  Pick<
    Config,
    | 'corsOrigins'
    | 'corsHeaders'
    | 'oidcIssuer'
    | 'oidcAudience'
    | 'oidcClientId'
    | 'trustedProxies'
    | 'maximumOpenRequests'
    | 'logSample'
  > & {
    readonly rateLimits: RateLimits;
    /** Of the identity provider, if there is one. */
    readonly accessTokens?: AccessTokens<Caller> | undefined;
    /** Milliseconds that a request may wait for the database; as in production, by default. */
    readonly requestTimeout?: number;
  };

/** A pattern with a parameter would decode the path, which may fail. */
const ANY_PATH = /^/;

function scopesOf({ scopes }: Caller): Caller['scopes'] {
  return scopes;
}

/** What the app is made from. */
export interface AppServices {
  readonly database: Database;
  readonly deprecatedCalls: DeprecatedCalls;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What `Database.$versionKey` returns. */
  readonly versionKey: string;
}

export interface App {
  readonly listener: RequestListener;
  /** Answers requests that never reach the listener. */
  readonly surfaceOf: SurfaceOf;
}

/** A store's whole service on one database: which handlers are mounted where, in which order. It does not listen. */
export function createApp(
  gateway: Gateway,
  store: Store,
  { database, deprecatedCalls, now, versionKey }: AppServices,
  options: AppOptions,
  health: Health,
): App {
  const { schema, rest, steps = [], operationSteps = [] } = store;
  observeRemovals(store);
  const { ofGateway, services, contextOf } = createContexts(gateway, store, {
    database,
    now,
    versionKey,
  });
  const frame = createFrame(gateway, options);
  const surfaceOf = createSurfaceOf(rest.basePath);
  const queue = createRequestQueue();
  const clientAddress = createClientAddress(options.trustedProxies);
  const withDeadline = createDeadline(options.requestTimeout);
  const { admit, admitDocuments, clientOf } = createAdmission(gateway.access, database, {
    rateLimits: options.rateLimits,
    accessTokens: options.accessTokens,
    withDeadline: (authentication) => withDeadline(0, authentication),
    clientAddress,
    queue,
  });
  const executeInTime = executeFairly({
    schema,
    execute: createExecute(schema, {
      services,
      contextOf,
      onExecuted: chargeExecutions(queue),
      onDeprecatedCall: ({ caller }, of) => {
        deprecatedCalls.count(caller, of);
      },
      onMutation: logMutation,
      now,
    }),
    withDeadline,
    timeout: options.requestTimeout,
  });
  /** Logs the mutations of an operation that was refused before it was executed. */
  const onRefused = (caller: Caller, operation: Operation, error: unknown): void => {
    for (const mutation of refusedMutations({ schema, ...operation }, error)) {
      logMutation({ caller }, mutation);
    }
  };
  const within = (next: ExecuteInTime<Caller>) => withinScopes(schema, scopesOf, next, onRefused);
  const execute = within(
    operationSteps.length === 0
      ? executeInTime
      : // A step may go on with another operation, or for another caller.
        takeOperationSteps(operationSteps, within(executeInTime)),
  );
  const graphql = { schema, execute, withDeadline, admit: admitDocuments };

  const endpoints = [
    ...createGraphQLEndpoints(database, graphql, options),
    ...createEndpoints<Caller>(rest, {
      admit,
      scopesOf,
      execute,
      // With row rules, a row that was visible may be hidden by now.
      responses:
        schema.extensions.visibleRows === undefined ? createFirstResponses(database) : undefined,
      documentation: DOCUMENTATION,
      publicUrl: options.publicUrl,
      onDeprecatedCall: (caller, of) => {
        deprecatedCalls.count(caller, of);
      },
      onRefused,
      now,
    }),
    ...createKeyEndpoints(admitDocuments),
  ];

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.disable('query parser');

  app.get(GRAPHQL_PATH, ...createPlayground(frame, options));
  mountLanding(app, rest.basePath, frame, destinationsOf(rest, frame, options));
  app.use(createPages(store, frame, options));
  const mounted = express.Router({ caseSensitive: true });
  store.mount?.(mounted, {
    ...ofGateway,
    authenticate: async (request, response) => {
      const { caller } = await admit({ request, response });
      expectScopes(caller.scopes, [isRead(request) ? 'read' : 'write']);
      return caller;
    },
    databaseOf: (caller) => contextOf({ caller, idempotencyKey: undefined }).database,
  });
  app.use(mounted);
  app.all(ANY_PATH, ...createNotFoundPage(frame));
  app.use(() => {
    throw notFound();
  });
  app.use(writeError);
  const listener = createRequestListener({
    endpoints,
    app,
    writeError,
    queue,
    health,
    clientOf,
    clientAddress,
    maximumOpenRequests: options.maximumOpenRequests,
    logSample: options.logSample,
    corsOrigins: options.corsOrigins,
    corsHeaders: options.corsHeaders,
    surfaceOf,
    routeOf,
    steps,
  });
  return { listener, surfaceOf };
}
