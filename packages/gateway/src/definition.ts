// The types of a store and of its resolvers' context. There is no code here, so any file of the gateway may import it.

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

/** The members that the gateway uses of a generated Prisma client, whatever its models are. */
export interface PrismaClientLike {
  // Methods, so that each client's own types fit.
  /** Prisma's own, as all here. */
  $extends(extension: object): unknown;
  /** An interactive transaction, or one of several calls. */
  $transaction(...args: never): Promise<unknown>;
  /** Called with the gateway's own statements, which have no values. */
  $executeRawUnsafe(statement: string): Promise<number>;
  /** Called once, before the gateway serves. */
  $connect(): Promise<void>;
  /** Called once, when the gateway stops. */
  $disconnect(): Promise<void>;
}

/** The class of a client that Prisma has generated. */
type PrismaClientClass<Client extends PrismaClientLike> = new (options: {
  adapter: PrismaPg;
  errorFormat: 'minimal';
}) => Client;

/** A store's own user, who has no API key. */
export interface Identity {
  /** 1 to 2^63 - 1. */
  readonly id: bigint;
  /** What the user may do: `'all'`, or some of the store's scopes. */
  readonly scopes: Scopes;
  /** Passed to resolvers as `caller.claims`. */
  readonly claims?: unknown;
}

/** Who may use a store. */
export interface Access {
  /** Begins every API key: 2 to 8 lower-case letters or digits and an underscore, such as `books_`. */
  readonly keyPrefix: string;
  /** More scopes of keys than `read` and `write`, with what each allows, in a sentence: `{ prices: 'See prices.' }`. */
  readonly scopes?: Readonly<Record<string, string>>;
  /**
   * Authenticates the sender of a request, before its body is read; by default with `byApiKey`. It may use everything in the
   * request's head.
   *
   * @param byApiKey the holder of the request's API key, or of its access token; throws UNAUTHENTICATED if it has none
   * @returns a user, or what `byApiKey` gave, perhaps with claims or restricted further; undefined if it is nobody: UNAUTHENTICATED
   */
  readonly authenticate?: (
    request: IncomingMessage,
    byApiKey: () => Promise<Caller>,
  ) => Promise<Identity | Caller | undefined>;
  /**
   * The rate limit of a caller, for all of its requests; undefined is none. By default it is the same for all.
   *
   * @param standard RATE_LIMIT, which is undefined if it is off
   */
  readonly rateLimitOf?: (
    caller: Caller,
    standard: RateLimitPolicy | undefined,
  ) => RateLimitPolicy | undefined;
}

/** A store's own landing page, in the frame of all pages. */
export interface LandingPage {
  /** Style sheets, in its head. */
  readonly styles: readonly URL[];
  /** The module that it runs, in a folder with those that it imports, which may include the gateway's. */
  readonly script: URL;
  /** Returns its HTML, given that of the store's title and of the list of all addresses. */
  readonly main: (parts: { readonly title: string; readonly addresses: string }) => string;
}

/** What a store adds to its pages. */
export interface StorePages {
  /** Shapes in SVG of 16 by 16, in one color. By default a plain dot. */
  readonly icon?: string;
  /** By default, a page with the title and the addresses. */
  readonly landing?: LandingPage;
  /** What GraphiQL opens with, each in a tab of its own. */
  readonly firstQueries?: readonly string[];
  /**
   * Guides for clients, as Markdown files: `api.md` is served at /guides/api. Links between guides work; links to other files
   * become text.
   */
  readonly guides?: readonly URL[];
}

/** Where whole lines of the log are written. */
export interface LogDestination {
  /** Writes lines as they are, line breaks included. */
  readonly write: (line: string) => void;
  /** Called after each fatal line, and when the process exits. */
  readonly flushSync?: () => void;
  /** How many lines were dropped. */
  readonly dropped?: () => number;
}

/**
 * A store's own errors for what its database rejects, by the names of constraints and by the SQLSTATEs that its triggers and
 * functions raise, with their message.
 */
export type ViolationErrors = Readonly<Record<string, (message: string) => GraphQLError>>;

/** What resolvers use in every request. */
export interface Services<Client = object> {
  /** The store's Prisma client. In a request it sees the rows that the caller sees; elsewhere, none of a type with `visible`. */
  readonly database: Client;
  /** Like `db`, but sees all rows, whoever the caller is. */
  readonly unrestrictedDatabase: Client;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The secret in the versions of rows.
   *
   * @internal
   */
  readonly versionKey: string;
  /** Returns which fields of which model a violated constraint covers. */
  readonly violatedFields: (violation: Violation) => Promise<ViolatedFields>;
  /** The store's own errors for what the database rejects. */
  readonly violations?: ViolationErrors | undefined;
}

/** The context of resolvers, for each request. */
export interface Context<Client = object> extends Services<Client>, MutationListeners {
  /** The caller, and what it may do. */
  readonly caller: Caller;
  /** The request's Idempotency-Key. */
  readonly idempotencyKey?: string | undefined;
}

/** What a store serves: a schema, and REST routes that are clients of it. */
export interface StoreApi<Client = object> {
  readonly schema: GraphQLSchema;
  /** Routes, the path that they are below, and OpenAPI's Info Object. */
  readonly rest: Pick<RestOptions, 'routes' | 'basePath' | 'info'>;
  /** Its own errors for violated constraints, by the names of these, and for what `RAISE EXCEPTION` raises, by SQLSTATE. */
  readonly violations?: ViolationErrors;
  // Methods, so that each client's own types fit.
  /** Returns additional members of the resolvers' context, once for all requests. */
  services?(services: Services<Client>): object;
  /**
   * Steps that every request passes before it is routed or rejected, in this order. Middleware belongs here, not into Express. Only
   * health probes, and input that Node can't parse, skip them.
   */
  readonly steps?: readonly Step[];
  /**
   * Steps around every operation of both APIs, in this order. What would be a Yoga or Envelop plugin
   * belongs here.
   */
  readonly operationSteps?: readonly OperationStep<Caller>[];
  /** Mounts handlers at addresses that the gateway doesn't use. */
  mount?(router: IRouter, app: MountedApp<Client>): void;
}

/** What a store's own handlers may use. */
export interface MountedApp<Client = object> extends Services<Client> {
  /**
   * Authenticates a request and counts it. Call it before you read anything else of the request, and pass what it throws to `next`. The
   * caller has the scope `read` for GET and HEAD, `write` for any other method.
   *
   * @throws UNAUTHENTICATED, TOO_MANY_REQUESTS, or FORBIDDEN if the caller's key isn't for such requests or lacks the scope
   */
  readonly authenticate: (request: IncomingMessage, response: ServerResponse) => Promise<Caller>;
  /** The database with only the rows that a caller may see. */
  readonly databaseOf: (caller: Caller) => Client;
}

/** A `StoreApi` whose routes fit the schema. */
export interface Store extends StoreApi {
  readonly rest: Rest;
}

/** Values that replace settings' own defaults, by their variables. */
type Defaults = Readonly<Record<string, string>>;

/** The options that define a store. */
export interface GatewayOptions<Client extends PrismaClientLike = PrismaClientLike> {
  /** Lower-case words with hyphens, such as `book-store`. All machine-readable names derive from it. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /** The store's contents, such as: books and their authors. */
  readonly description: string;
  /** The store's version, as reported by metrics and OpenAPI. */
  readonly version: string;
  /** The scopes of the store, and what authenticates its callers. */
  readonly access: Access;
  /** The code that Prisma and its generators have written for the store's models. */
  readonly prisma: {
    /** The generated client. */
    readonly Client: PrismaClientClass<Client>;
    /** Generated by `store-gateway-models`. */
    readonly models: Models;
    /** The folder of the migrations, as Prisma lays it out; ends with a slash. */
    readonly migrations: URL;
  };
  /** Loads the schema and the routes, which most commands don't need. */
  readonly load: () => Promise<StoreApi<NoInfer<Client>>>;
  /** By default there is a plain landing page. */
  readonly pages?: StorePages;
  /** Defaults of settings, by environment variable: `{ PORT: '8080' }`. */
  readonly defaults?: Defaults;
  /** Where the log is written, in redacted lines of JSON; by default stdout. A supervisor writes its workers' logs. */
  readonly log?: LogDestination;
}

/** A store with all names derived from its own. */
export interface Gateway<
  Client extends PrismaClientLike = PrismaClientLike,
> extends GatewayOptions<Client> {
  readonly pages: StorePages;
  readonly defaults: Defaults;
  /** Names the service in log, traces, connections and browser storage: `book-store-gateway`. */
  readonly serviceName: string;
  /** Begins the names of the service's own metrics: `book_store_`. */
  readonly metricsPrefix: string;
  /** Names in the embedded PostgreSQL, which earlier versions may share: its role is `book_store`. */
  readonly cluster: ClusterNames;
}

/** A gateway that serves in this process, until it is disposed of. */
export interface StartedGateway<Client> extends AsyncDisposable {
  /** Where it listens. */
  readonly url: string;
  /** The store's Prisma client, which sees all rows and notes changes of audited ones. */
  readonly database: Client;
  /** Creates an API key; its name is for people. */
  readonly createKey: (name: string) => Promise<string>;
}
