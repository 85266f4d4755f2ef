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

/** What is used of a client that Prisma has generated, whatever its models are. */
export interface PrismaClientLike {
  // Methods, so that each client's own types fit.
  /** Prisma's own, as all here. */
  $extends(extension: object): unknown;
  /** Interactive, or of several calls. */
  $transaction(...args: never): Promise<unknown>;
  /** Called with statements of the gateway's own, which have no values. */
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

/** A user of the store's own, beside the API keys. */
export interface Identity {
  /** 1 to 2^63 - 1. */
  readonly id: bigint;
  /** What it may do: `'all'`, or scopes of the store. */
  readonly scopes: Scopes;
  /** What resolvers are to know of it, as `caller.claims`. */
  readonly claims?: unknown;
}

/** Who may use a store. */
export interface Access {
  /** Begins every API key: 2 to 8 lower-case letters or digits and an underscore, such as `books_`. */
  readonly keyPrefix: string;
  /** More scopes of keys than `read` and `write`, with what each allows, in a sentence: `{ prices: 'See prices.' }`. */
  readonly scopes?: Readonly<Record<string, string>>;
  /**
   * Tells who sends a request, before its body is read; by default that is `byApiKey`. It may go by all that the request's
   * headers say.
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

/** A landing page of a store's own, in the frame of all pages. */
export interface LandingPage {
  /** Style sheets, in its head. */
  readonly styles: readonly URL[];
  /** The module that it runs, in a folder with those that this imports, of which the gateway's may be some. */
  readonly script: URL;
  /** HTML, from that of the store's title and the list of all addresses. */
  readonly main: (parts: { readonly title: string; readonly addresses: string }) => string;
}

/** What a store adds to its pages. */
export interface StorePages {
  /** Shapes in SVG of 16 by 16, in one color. By default a plain dot. */
  readonly icon?: string;
  /** By default the title and the addresses. */
  readonly landing?: LandingPage;
  /** What GraphiQL opens with, each in a tab of its own. */
  readonly firstQueries?: readonly string[];
  /**
   * Guides for clients, as files of Markdown: `api.md` is served at /guides/api. Links between them work, those to other files
   * become text.
   */
  readonly guides?: readonly URL[];
}

/** Takes whole lines of the log. */
export interface LogDestination {
  /** Writes lines as they are, line breaks included. */
  readonly write: (line: string) => void;
  /** Called after each fatal line, and at the end of the process. */
  readonly flushSync?: () => void;
  /** How many lines were dropped. */
  readonly dropped?: () => number;
}

/**
 * A store's own errors for what its database rejects: by the names of constraints, and by the SQLSTATEs that its triggers and
 * functions raise, with their message.
 */
export type ViolationErrors = Readonly<Record<string, (message: string) => GraphQLError>>;

/** What resolvers use in every request. */
export interface Services<Client = object> {
  /** The store's Prisma client. In a request it sees the rows that the caller sees; elsewhere, none of a type with `visible`. */
  readonly database: Client;
  /** The same for all rows, whoever calls. */
  readonly unrestrictedDatabase: Client;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The secret in the versions of rows.
   *
   * @internal
   */
  readonly versionKey: string;
  /** Tells which fields of which model a constraint of the database is about. */
  readonly violatedFields: (violation: Violation) => Promise<ViolatedFields>;
  /** The store's own errors for what the database rejects. */
  readonly violations?: ViolationErrors | undefined;
}

/** The context of resolvers, for each request. */
export interface Context<Client = object> extends Services<Client>, MutationListeners {
  /** Who sent the request, and what they may do. */
  readonly caller: Caller;
  /** The request's Idempotency-Key. */
  readonly idempotencyKey?: string | undefined;
}

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
   * belongs here.
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

/** A `StoreApi` whose routes fit the schema. */
export interface Store extends StoreApi {
  readonly rest: Rest;
}

/** Values in the place of settings' own defaults, by their variables. */
export type Defaults = Readonly<Record<string, string>>;

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
  /** What Prisma and its generators have made of the store's models. */
  readonly prisma: {
    /** The generated client. */
    readonly Client: PrismaClientClass<Client>;
    /** As generated by batched-prisma. */
    readonly models: Models;
    /** The folder of the migrations, as Prisma lays it out; ends with a slash. */
    readonly migrations: URL;
  };
  /** Loads schema and routes, which most commands do without. */
  readonly load: () => Promise<StoreApi<NoInfer<Client>>>;
  /** By default there is a plain landing page. */
  readonly pages?: StorePages;
  /** Defaults of settings, by environment variable: `{ PORT: '8080' }`. */
  readonly defaults?: Defaults;
  /** Where the log is written, in redacted lines of JSON; by default stdout. The supervisor writes the log of its workers. */
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
  /** Makes an API key, whose name is for people. */
  readonly createKey: (name: string) => Promise<string>;
}
