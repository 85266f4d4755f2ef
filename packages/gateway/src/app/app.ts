import type { RequestListener } from 'node:http';
import type { Caller } from '@store-gateway/access';
import {
  createDeadline,
  createExecute,
  type ExecuteInTime,
  type MutationOutcome,
  type Operation,
  type OperationRequest,
  rejectedMutations,
  runOperationSteps,
  withinScopes,
} from '@store-gateway/graphql/execution';
import {
  loggedRequest,
  logRequest,
  recordOwnRead,
  reportingOwnReads,
  type RouteOf,
} from '@store-gateway/ops';
import {
  type Admit,
  createClientAddress,
  createRequestListener,
  createRequestQueue,
  type Endpoint,
  endpointPathOf,
  type Health,
  isRead,
  JSON_TYPE,
  otherMethods,
  type RequestListenerOptions,
  send,
} from '@store-gateway/http';
import { createEndpoints, inOpenApi, notFound, writeError } from '@store-gateway/rest';
import express from 'express';
import { expectScopes } from '@store-gateway/graphql';
import type { AccessTokens } from '@store-gateway/access/tokens';
import type { RateLimits } from '@store-gateway/http/limits';
import type { GraphQLSchema } from 'graphql';
// Imported for the type of `extensions.visibleRows`.
import '@store-gateway/resource';
import { ViolationError } from '@store-gateway/postgres';
import { type RowRules, visibleRows } from '@store-gateway/data';
import type { Context, Gateway, Services, Store } from '../definition.ts';
import { createAdmission } from '../auth/admission.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/client.ts';
import { type DeprecatedCalls, observeRemovals } from '../usage/deprecated-calls.ts';
import { chargeExecutions, executeFairly } from './fair-execution.ts';
import { createFirstResponses } from './first-responses.ts';
import { createGraphQLEndpoints } from './graphql-endpoint.ts';
import { createFrame, DOCUMENTATION, GRAPHQL_PATH } from './pages/frame.ts';
import { createNotFoundPage, createPages } from './pages/pages.ts';
import { mountPlayground } from './pages/playground.ts';
import { audited, auditedTypes } from '../database/audit.ts';

/**
 * Logs a line for a mutation. It is separate from the request's line, which is written when the client has its response or has
 * disconnected, because a mutation may run longer than its request.
 */
function logMutation(
  { caller }: Pick<OperationRequest<Caller>, 'caller'>,
  { operation, ids, outcome }: MutationOutcome,
): void {
  const { id: requestId, traceId } = loggedRequest() ?? {};
  logRequest({ requestId, traceId, keyId: caller.name, operation, ids, outcome }, 'mutation');
}

/** Returns the path of the endpoint that handled a request, with parameters in OpenAPI's notation. */
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

/** Creates a function that returns which API serves a path. */
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

export type AppOptions = Pick<
  Config,
  | 'graphqlIntrospection'
  | 'publicUrl'
  | 'trustedDocumentsOnly'
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
  /** Resolves the identity provider's access tokens to callers; undefined if there is no provider. */
  readonly accessTokens?: AccessTokens<Caller> | undefined;
  /** Milliseconds that a request may wait for the database. Defaults to the production timeout. */
  readonly requestTimeout?: number;
};

/** Matches every path. A pattern with a parameter would decode the path, which may fail. */
const ANY_PATH = /^/;

function scopesOf({ scopes }: Caller): Caller['scopes'] {
  return scopes;
}

interface AppServices {
  readonly database: Database;
  readonly deprecatedCalls: DeprecatedCalls;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The secret in row versions, from `Database.$versionKey`. */
  readonly versionKey: string;
}

interface App {
  readonly listener: RequestListener;
  /** Chooses the error format for requests that never reach the listener. */
  readonly surfaceOf: SurfaceOf;
}

/** Assembles a store's service on one database: mounts all handlers, in order. It does not listen. */
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
  /** Logs the mutations of an operation that was rejected before it was executed. */
  const onDenied = (caller: Caller, operation: Operation, error: unknown): void => {
    for (const mutation of rejectedMutations({ schema, ...operation }, error)) {
      logMutation({ caller }, mutation);
    }
  };
  const within = (next: ExecuteInTime<Caller>) => withinScopes(schema, scopesOf, next, onDenied);
  const execute = within(
    operationSteps.length === 0
      ? executeInTime
      : // A step may continue with a different operation, or for a different caller, so the scopes are checked again.
        runOperationSteps(operationSteps, within(executeInTime)),
  );
  const graphql = { schema, execute, withDeadline, admit: admitDocuments };

  const endpoints = [
    ...createGraphQLEndpoints(database, graphql, options),
    ...createEndpoints<Caller>(rest, {
      admit,
      scopesOf,
      execute,
      // With row rules, a row that was visible at the first response may be hidden by the time of a replay.
      responses:
        schema.extensions.visibleRows === undefined ? createFirstResponses(database) : undefined,
      documentation: DOCUMENTATION,
      publicUrl: options.publicUrl,
      onDeprecatedCall: (caller, of) => {
        deprecatedCalls.count(caller, of);
      },
      onDenied,
      now,
    }),
    ...createKeyEndpoints(admitDocuments),
  ];

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.disable('query parser');

  mountPlayground(app, frame, options);
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

interface Contexts {
  /** The members that are the same for all callers. */
  readonly ofGateway: Services;
  /** The gateway's members and the store's own. */
  readonly services: Services;
  readonly contextOf: (request: OperationRequest<Caller>) => Context;
}

/**
 * Creates the contexts of a store's resolvers. Their database client audits changes and hides the rows that the caller may not
 * see.
 */
function createContexts(
  { prisma }: Gateway,
  store: Store,
  {
    database,
    now,
    versionKey,
  }: { readonly database: Database } & Pick<Services, 'now' | 'versionKey'>,
): Contexts {
  const { schema, violations } = store;
  const unrestrictedDatabase = audited(database, prisma.models, auditedTypes(schema));
  const visible = visibleDatabases(schema, unrestrictedDatabase);
  const ofGateway = {
    database: visible?.ofNobody ?? unrestrictedDatabase,
    unrestrictedDatabase,
    now,
    versionKey,
    violatedFields: database.$violatedFields,
    violations,
  };
  const services: Services = { ...store.services?.(ofGateway), ...ofGateway };
  return {
    ofGateway,
    services,
    contextOf: ({ caller, idempotencyKey, onReplay, onMutated }) => {
      const context = {
        ...services,
        caller,
        onReplay,
        onMutated,
        idempotencyKey,
      };
      if (visible !== undefined) {
        context.database = visible.ofRequest(context);
      }
      return context;
    },
  };
}

/** A database client restricted by a schema's row rules. */
interface VisibleDatabases {
  /** Returns the client for a request, given its context. The client reports results that depend on the caller. */
  readonly ofRequest: (context: object) => object;
  /** The client outside of requests, which hides all rows of types with a rule. */
  readonly ofNobody: object;
}

/** Creates the clients that enforce a schema's row rules, or returns undefined if no type has a rule. */
function visibleDatabases(
  { extensions: { visibleRows: ruled } }: GraphQLSchema,
  database: Database,
): VisibleDatabases | undefined {
  if (ruled === undefined) {
    return undefined;
  }
  const { models, rules } = ruled;
  const refusals = refusalsOf(database);
  const ofCaller = visibleRows<object, object>(database, {
    models,
    rules,
    refusals,
    onRuledCall: (model) => recordOwnRead(`the visible rows of ${model}`),
  });
  const nothing: RowRules<object> = Object.fromEntries(
    Object.entries(rules).map(([model, { columns }]) => [model, { columns, where: () => false }]),
  );
  return {
    ofRequest: (context) => reportingOwnReads(ofCaller(context)),
    ofNobody: visibleRows<object, object>(database, {
      models,
      rules: nothing,
      refusals,
    })({}),
  };
}

/** Creates the errors for writes that row rules reject: the same as for violated database constraints. */
function refusalsOf(database: Database) {
  return {
    value: (_model: string, fields: readonly string[]) =>
      new ViolationError({ kind: 'check', names: [], fields }),
    reference: async (model: string, field: string) => {
      const names = await database.$referenceNames(model, field);
      return new ViolationError({
        kind: 'reference',
        names,
        ...(names.length === 0 && { fields: [field] }),
      });
    },
  };
}

/** The path at which clients look up what their key may do. */
const KEY_PATH = '/key{/}';

/** Returns what the caller's own key may do. */
function createKeyEndpoints(admit: Admit<Caller>): Endpoint[] {
  return [
    {
      method: 'GET',
      path: KEY_PATH,
      answer: async (request, response) => {
        const { caller } = await admit({ request, response });
        const { scopes, origins, documentsOnly } = caller;
        const names = scopes === 'all' ? null : [...scopes].toSorted();
        send(response, JSON_TYPE, JSON.stringify({ scopes: names, origins, documentsOnly }));
      },
      writeError,
    },
    otherMethods(KEY_PATH, ['GET', 'HEAD'], writeError),
  ];
}
