// The types of a store and of its resolvers' context. This file contains no code, so every file of the gateway may import it.

import type { PrismaPg } from '@prisma/adapter-pg';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimitPolicy } from '@store-gateway/http/limits';
import type { Scopes } from '@store-gateway/ops/errors';
import type { Caller } from '@store-gateway/access';
import type { GraphQLError, GraphQLSchema } from 'graphql';
import type { ViolatedFields, Violation } from '@store-gateway/postgres';
import type { MutationListeners, OperationStep } from '@store-gateway/graphql/execution';
import type { IRouter } from 'express';
import type { Step } from '@store-gateway/http';
import type { Rest, RestOptions } from '@store-gateway/rest';
import type { ClusterNames } from '@store-gateway/local';
import type { Models } from '@store-gateway/data';

/** The members of a generated Prisma client that the gateway uses, regardless of the client's models. */
export interface PrismaClientLike {
  // Declared as methods, so that the types of every client are assignable.
  /** One of Prisma's own methods, like all others in this interface. */
  $extends(extension: object): unknown;
  /** Runs an interactive transaction, or several calls in one transaction. */
  $transaction(...args: never): Promise<unknown>;
  /** Called with the gateway's own statements, which have no parameters. */
  $executeRawUnsafe(statement: string): Promise<number>;
  /** Called once, before the gateway starts to serve. */
  $connect(): Promise<void>;
  /** Called once, when the gateway stops. */
  $disconnect(): Promise<void>;
}

/** The class of a generated Prisma client. */
type PrismaClientClass<Client extends PrismaClientLike> = new (options: {
  adapter: PrismaPg;
  errorFormat: 'minimal';
}) => Client;

/** A user whom the store itself authenticates. The user needs no API key. */
export interface Identity {
  /** An integer from 1 to 2^63 - 1. */
  readonly id: bigint;
  /** The user's scopes, or `'all'`. */
  readonly scopes: Scopes;
  /** Passed to resolvers as `caller.claims`. */
  readonly claims?: unknown;
}

/** How callers authenticate, and what they may do. */
export interface Access {
  /** The prefix of every API key: 2 to 8 lower-case letters or digits and an underscore, such as `books_`. */
  readonly keyPrefix: string;
  /**
   * Scopes in addition to `read` and `write`, each with a sentence that describes what it allows: `{ prices: 'See prices.' }`.
   */
  readonly scopes?: Readonly<Record<string, string>>;
  /**
   * Authenticates the sender of a request before the request's body is read. May use everything in the request's head. Defaults
   * to `byApiKey`.
   *
   * @param byApiKey returns the holder of the request's API key or access token; throws UNAUTHENTICATED if there is none
   * @returns a user, or the result of `byApiKey`, with added claims or restrictions if necessary; undefined rejects the request
   *   with UNAUTHENTICATED
   */
  readonly authenticate?: (
    request: IncomingMessage,
    byApiKey: () => Promise<Caller>,
  ) => Promise<Identity | Caller | undefined>;
  /**
   * Returns the rate limit for all requests from a caller; undefined for no limit. By default, all callers have the same limit.
   *
   * @param standard the limit that RATE_LIMIT sets; undefined if it is off
   */
  readonly rateLimitOf?: (
    caller: Caller,
    standard: RateLimitPolicy | undefined,
  ) => RateLimitPolicy | undefined;
}

/** A store's own landing page, to which the common head and header are added. */
export interface LandingPage {
  /** The page's style sheets. */
  readonly styles: readonly URL[];
  /** The page's script, a module. It may import the gateway's modules, and modules from its own folder. */
  readonly script: URL;
  /** Returns the page's main content as HTML, given the HTML of the store's title and of the list of all addresses. */
  readonly main: (parts: { readonly title: string; readonly addresses: string }) => string;
}

/** The content that a store adds to its pages. */
export interface StorePages {
  /** SVG shapes on a canvas of 16 by 16, in one color. Defaults to a dot. */
  readonly icon?: string;
  /** Defaults to a page with the title and the addresses. */
  readonly landing?: LandingPage;
  /** The queries that GraphiQL opens with, each in its own tab. */
  readonly firstQueries?: readonly string[];
  /**
   * Guides for clients, as Markdown files: `api.md` is served at /guides/api. Links between guides work; links to other files
   * become text.
   */
  readonly guides?: readonly URL[];
}

/** A destination for complete log lines. */
export interface LogDestination {
  /** Writes lines unchanged, line breaks included. */
  readonly write: (line: string) => void;
  /** Called after each fatal line, and when the process exits. */
  readonly flushSync?: () => void;
  /** Returns the number of dropped lines. */
  readonly dropped?: () => number;
}

/**
 * A store's own errors for writes that its database rejects, keyed by the name of the violated constraint, or by the SQLSTATE
 * that a trigger or function raises. Each function receives the database's message.
 */
export type ViolationErrors = Readonly<Record<string, (message: string) => GraphQLError>>;

/** The members of the context that are the same for every request. */
export interface Services<Client = object> {
  /**
   * The store's Prisma client. In a request, it sees only the rows that the caller may see. Outside requests, it sees no rows
   * of types with `visible`.
   */
  readonly database: Client;
  /** Like `database`, but sees all rows, regardless of the caller. */
  readonly unrestrictedDatabase: Client;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The secret for row versions.
   *
   * @internal
   */
  readonly versionKey: string;
  /** Returns the model and the fields that a violated constraint covers. */
  readonly violatedFields: (violation: Violation) => Promise<ViolatedFields>;
  /** The store's own errors for writes that the database rejects. */
  readonly violations?: ViolationErrors | undefined;
}

/** The context of resolvers, created for each request. */
export interface Context<Client = object> extends Services<Client>, MutationListeners {
  /** The caller, with its scopes. */
  readonly caller: Caller;
  /** The value of the request's Idempotency-Key. */
  readonly idempotencyKey?: string | undefined;
}

/** A store's API: a schema, and REST routes that are clients of it. */
export interface StoreApi<Client = object> {
  readonly schema: GraphQLSchema;
  /** The routes, their base path, and OpenAPI's Info Object. */
  readonly rest: Pick<RestOptions, 'routes' | 'basePath' | 'info'>;
  /** Errors for violated constraints, keyed by constraint name, and errors for `RAISE EXCEPTION`, keyed by SQLSTATE. */
  readonly violations?: ViolationErrors;
  // Declared as methods, so that the types of every client are assignable.
  /** Returns additional members of the resolvers' context. Called once, for all requests. */
  services?(services: Services<Client>): object;
  /**
   * Steps that every request passes, in this order, before it is routed or rejected. Put middleware here, not into Express. Only
   * health probes and input that Node can't parse skip these steps.
   */
  readonly steps?: readonly Step[];
  /** Steps that run around every operation of both APIs, in this order. They replace plugins for Yoga or Envelop. */
  readonly operationSteps?: readonly OperationStep<Caller>[];
  /** Mounts handlers at paths that the gateway doesn't use. */
  mount?(router: IRouter, app: MountedApp<Client>): void;
}

/** What a store's own handlers can use. */
export interface MountedApp<Client = object> extends Services<Client> {
  /**
   * Authenticates a request, and counts it towards the caller's rate limit. Call it before you read the rest of the request, and
   * pass any error that it throws to `next`. The caller has the scope `read` for GET and HEAD, `write` for any other method.
   *
   * @throws UNAUTHENTICATED, TOO_MANY_REQUESTS, or FORBIDDEN if the caller lacks the scope or its key's restrictions don't allow
   *   the request
   */
  readonly authenticate: (request: IncomingMessage, response: ServerResponse) => Promise<Caller>;
  /** Returns the database client restricted to the rows that a caller may see. */
  readonly databaseOf: (caller: Caller) => Client;
}

/** A `StoreApi` whose routes have been checked against the schema. */
export interface Store extends StoreApi {
  readonly rest: Rest;
}

/** Default values that replace the settings' own defaults, by environment variable. */
type Defaults = Readonly<Record<string, string>>;

/** The options of `createGateway`, which define a store. */
export interface GatewayOptions<Client extends PrismaClientLike = PrismaClientLike> {
  /** Lower-case words with hyphens, such as `book-store`. All machine-readable names derive from it. */
  readonly name: string;
  /** The display name. */
  readonly title: string;
  /** The store's contents in words, such as `books and their authors`. */
  readonly description: string;
  /** The store's version, as reported in metrics and OpenAPI. */
  readonly version: string;
  /** The store's scopes, and how its callers authenticate. */
  readonly access: Access;
  /** The code that Prisma and its generators have generated for the store's models. */
  readonly prisma: {
    /** The generated client's class. */
    readonly Client: PrismaClientClass<Client>;
    /** The models that `store-gateway-models` generates. */
    readonly models: Models;
    /** The folder of the migrations, in Prisma's layout; ends with a slash. */
    readonly migrations: URL;
  };
  /** Loads the schema and the routes, which most commands don't need. */
  readonly load: () => Promise<StoreApi<NoInfer<Client>>>;
  /** Defaults to a plain landing page. */
  readonly pages?: StorePages;
  /** Default values of settings, by environment variable: `{ PORT: '8080' }`. */
  readonly defaults?: Defaults;
  /**
   * The destination of the log, which consists of redacted JSON lines. Defaults to stdout. The supervisor writes its workers'
   * logs.
   */
  readonly log?: LogDestination;
}

/** A store's options, with all names that derive from the store's name. */
export interface Gateway<
  Client extends PrismaClientLike = PrismaClientLike,
> extends GatewayOptions<Client> {
  readonly pages: StorePages;
  readonly defaults: Defaults;
  /** The service's name in logs, traces, connections and browser storage: `book-store-gateway`. */
  readonly serviceName: string;
  /** The prefix of the service's own metrics: `book_store_`. */
  readonly metricsPrefix: string;
  /**
   * Names in the embedded PostgreSQL, such as the role `book_store`. They must never change, because databases that earlier
   * versions created contain them.
   */
  readonly cluster: ClusterNames;
}

/** A gateway that serves in this process until it is disposed of. */
export interface StartedGateway<Client> extends AsyncDisposable {
  /** The URL at which it listens. */
  readonly url: string;
  /** The store's Prisma client. It sees all rows, and audits changes. */
  readonly database: Client;
  /** Creates an API key with a display name, and returns the key. */
  readonly createKey: (name: string) => Promise<string>;
}
