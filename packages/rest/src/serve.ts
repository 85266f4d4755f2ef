import type { IncomingMessage, ServerResponse } from 'node:http';
import { hash } from 'node:crypto';
import { type DocumentNode, type ExecutionResult, print } from 'graphql';
import { errorCode, type Scopes } from '@store-gateway/ops/errors';
import type {
  ExecuteInTime,
  Operation as ExecutedOperation,
} from '@store-gateway/graphql/execution';
import {
  acceptedType,
  type Admit,
  announceDeprecation,
  bodyFormatOf,
  announceReplay,
  announceStrict,
  type Exchange,
  JSON_TYPE,
  matchesStrongly,
  prefersStrict,
  readJsonObject,
  referenceTo,
  send,
  sendHeaders,
  sendNotModified,
  runExchange,
} from '@store-gateway/http';
import { isJsonObject, nameOperation, WrittenJson } from '@store-gateway/ops';
import {
  expectScopes,
  isPreconditionFailed,
  missingScopesOf,
  preconditionFailed,
  removalError,
} from '@store-gateway/graphql';
import { hasEntityTag, isCreation, type PreparedRoute, TOTAL_COUNT } from './rest.ts';
import type { announcerOf, Documentation } from './deprecation.ts';
import type { Operation } from './operation.ts';
import { errorToSend, wantsProblem } from './errors.ts';
import {
  announceIgnored,
  NO_TAG_OF_ROW,
  preconditionsOf,
  rejectUnknownMembers,
  rejectIneffectiveBody,
} from './requests.ts';
import { errorInRestNames, type Variable } from './members.ts';

/** The functions and settings that the routes need from the service. */
export interface ServeDependencies<Caller> extends Pick<Documentation, 'publicUrl'> {
  /** Authenticates a request before anything else in the request is read. */
  readonly admit: Admit<Caller>;
  /** Returns a caller's scopes. Required if the schema declares scopes. */
  readonly scopesOf?: (caller: Caller) => Scopes;
  /** Executes an operation, for example with `createExecute` from @store-gateway/graphql. */
  readonly execute: ExecuteInTime<Caller>;
  /**
   * Stores first responses, for retries. Without it, a replayed response shows all rows except the written one in their current
   * state.
   */
  readonly responses?: ResponseStore<Caller> | undefined;
  /** Called for each request to a route that is itself deprecated. */
  readonly onDeprecatedCall?: (caller: Caller, of: string) => void;
  /**
   * Called for each change that was rejected before its operation was executed. The operation's variables are those in the path.
   */
  readonly onDenied?: (caller: Caller, operation: ExecutedOperation, error: unknown) => void;
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: () => number;
}

/** A request to a route, and its response. */
interface RouteRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly query: Record<string, unknown>;
  /** The route's current operation. */
  readonly operation: Operation;
  readonly announcer: ReturnType<typeof announcerOf>;
}

type Body = Readonly<Record<string, unknown>>;

/** Serves a request by executing the route's operation. */
export async function serve<Caller>(
  route: PreparedRoute,
  dependencies: ServeDependencies<Caller>,
  received: RouteRequest,
): Promise<void> {
  nameOperation(received.operation.name);
  await runExchange(exchangeOf(route, dependencies, received), dependencies.admit);
}

function exchangeOf<Caller>(
  route: PreparedRoute,
  {
    publicUrl,
    scopesOf = () => 'all',
    execute,
    responses,
    onDeprecatedCall,
    onDenied,
    now = Date.now,
  }: ServeDependencies<Caller>,
  { request, response, path, parameters, query, operation, announcer }: RouteRequest,
): Exchange<Caller, Body, ExecutedOperation, ExecutionResult> {
  const { method, variables, read, deprecations, unread } = route;
  const isStrict = prefersStrict(request);
  let executed = operation;
  let { status } = route;
  let mediaType = JSON_TYPE;
  let conditions: ReturnType<typeof preconditionsOf> = {};
  let body: Body = NO_BODY;

  return {
    request,
    response,
    accept: (caller) => {
      if (isStrict) {
        announceStrict(response);
      } else {
        announceIgnored(response, variables, query);
      }
      const scopes = scopesOf(caller);
      const mayRead = unread === undefined || missingScopesOf(scopes, ['read']).length === 0;
      expectScopes(scopes, mayRead ? route.scopes : unread.scopes);
      if (!mayRead) {
        executed = unread.operation;
        status = 204;
      }
      const { own } = deprecations;
      if (own !== undefined) {
        onDeprecatedCall?.(caller, own.of);
        const removal = removalError(own, now());
        if (removal !== undefined) {
          throw removal;
        }
      }
      if (status !== 204 && !wantsProblem(request)) {
        mediaType = acceptedType(request, [JSON_TYPE]);
      }
    },
    acceptsKey: Boolean(operation.field.extensions.idempotency),
    read: (turn) => {
      conditions = preconditionsOf(route, request);
      return variables.body === undefined
        ? NO_BODY
        : readJsonObject(request, response, turn, bodyFormatOf(route));
    },
    plan: (received) => {
      body = received;
      if (isStrict) {
        rejectUnknownMembers(variables, { query, body });
      }
      if (method === 'patch') {
        rejectIneffectiveBody(variables, body);
      }
      const variableValues = read({ path: parameters, query, body });
      if (conditions.variable !== undefined) {
        Object.assign(variableValues, conditions.variable);
      }
      const earlier = announcer.earlier(operation, variableValues, parameters);
      if (earlier !== undefined) {
        announceDeprecation(response, earlier, announcer.always(operation, parameters));
      }
      const { document, planRows } = executed;
      return { document, variableValues, planRows };
    },
    execute,
    represent: async ({ data, errors }, { caller, idempotencyKey, isReplay }) => {
      const { ifMatch, isOfNoRow = false } = conditions;
      const keyed =
        idempotencyKey !== undefined &&
        responses !== undefined &&
        operation.isKept &&
        status !== 204
          ? { responses, caller, key: idempotencyKey, document: executed.document }
          : undefined;
      const first = keyed && isReplay ? await findFirst(keyed) : undefined;
      const error = errors && errorToSend(errors, variables);
      if (error !== undefined && (first === undefined || errorCode(error) !== 'GONE')) {
        throw isOfNoRow && isPreconditionFailed(error)
          ? preconditionFailed(NO_TAG_OF_ROW)
          : errorInRestNames(
              error,
              operation.inputs,
              variables.body && { [variables.body[0]]: body },
            );
      }
      if (isReplay) {
        const isAsFirst = first !== undefined || operation.showsRowAlone || status === 204;
        announceReplay(response, isAsFirst);
      }
      response.statusCode = status;
      if (first !== undefined) {
        sendShown(response, mediaType, first);
        return;
      }
      if (status === 204) {
        sendHeaders(response);
        return;
      }
      const resource: unknown = data?.[operation.key];
      if (typeof resource !== 'object' || resource === null) {
        throw new Error(`the operation ${operation.name} returned neither an object nor an array`);
      }
      const page = isPage(resource) ? resource : undefined;
      const { body: text, etag } = operation.represent(page?.nodes ?? resource);
      if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag())) {
        throw preconditionFailed();
      }
      if (page !== undefined) {
        const links = pageLinks(variables.query, page, { path, query, publicUrl });
        response.appendHeader('Link', links);
        if (page.totalCount !== undefined) {
          response.setHeader(TOTAL_COUNT, page.totalCount);
        }
      }
      if (method === 'get' && sendNotModified(response, etag())) {
        return;
      }
      const shown = {
        body: text,
        etag: method !== 'get' && hasEntityTag(route) ? etag() : undefined,
        location:
          isCreation(route) && isJsonObject(resource)
            ? referenceTo(route.addressOf(path, String(resource['id'])), { from: path, publicUrl })
            : undefined,
      };
      if (keyed && !isReplay) {
        await storeFirstResponse(keyed, shown);
      }
      sendShown(response, mediaType, shown);
    },
    onDenied: (caller, error) => {
      onDenied?.(caller, { document: operation.document, variableValues: parameters }, error);
    },
  };
}

function sendShown(
  response: ServerResponse,
  mediaType: string,
  { body, etag, location }: Shown,
): void {
  if (location !== undefined) {
    response.setHeader('Location', location);
  }
  if (etag !== undefined) {
    response.setHeader('ETag', etag);
  }
  send(response, mediaType, body);
}

const NO_BODY: Body = {};

/** The members of a connection that its document selects. */
interface Page {
  readonly nodes: readonly unknown[] | WrittenJson;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | bigint | null };
  readonly totalCount?: number;
}

interface ListRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The service's public URL, for absolute references. */
  readonly publicUrl: string | undefined;
}

function isPage(resource: unknown): resource is Page {
  if (!isJsonObject(resource)) {
    return false;
  }
  const { nodes, pageInfo } = resource;
  return (Array.isArray(nodes) || nodes instanceof WrittenJson) && isJsonObject(pageInfo);
}

/**
 * Returns the Link header of a page (RFC 8288), with links to the first page and, if there is one, to the next page. Filters and
 * the limit are repeated as sent.
 *
 * @param parameters the query parameters of the list
 */
function pageLinks(
  parameters: readonly Variable[],
  { pageInfo }: Page,
  { path, query, publicUrl }: ListRequest,
): string {
  let kept = '';
  for (const name of Object.keys(query)) {
    if (name !== 'after' && parameters.some(([parameter]) => parameter === name)) {
      for (const value of [query[name]].flat()) {
        if (typeof value === 'string') {
          kept += `${kept && '&'}${name}=${encodeURIComponent(value)}`;
        }
      }
    }
  }
  // A reference with only a query keeps the request's path (RFC 3986, 5.2.2). An empty reference would also keep its query.
  const list = publicUrl === undefined ? '' : publicUrl + path;
  const whole = list || path.slice(path.lastIndexOf('/') + 1);
  const first = `<${kept ? `${list}?${kept}` : whole}>; rel="first"`;
  return pageInfo.hasNextPage && pageInfo.endCursor !== null
    ? `${first}, <${list}?${kept}${kept && '&'}after=${encodeURIComponent(String(pageInfo.endCursor))}>; rel="next"`
    : first;
}

/** Stores the first responses to writes by caller and idempotency key, for as long as the key is stored. */
export interface ResponseStore<Caller> {
  /** Stores a response. The promise must be fulfilled even if storing fails. */
  readonly keep: (caller: Caller, key: string, response: string) => Promise<void>;
  /** Returns the stored response, or undefined if there is none. */
  readonly find: (caller: Caller, key: string) => Promise<string | undefined>;
}

/** A write with an idempotency key, and the document that selects its response. */
interface KeyedWrite<Caller> {
  readonly responses: ResponseStore<Caller>;
  readonly caller: Caller;
  readonly key: string;
  readonly document: DocumentNode;
}

/** The parts of a response that depend on the written row. */
interface Shown {
  /** The body, as JSON. */
  readonly body: string;
  readonly etag: string | undefined;
  readonly location: string | undefined;
}

/** Maximum size of a stored body, in bytes. */
const MAX_KEPT = 65_536;

/** Stores the first response to a write, unless its body is too large. */
async function storeFirstResponse<Caller>(
  { responses, caller, key, document }: KeyedWrite<Caller>,
  shown: Shown,
): Promise<void> {
  if (Buffer.byteLength(shown.body) <= MAX_KEPT) {
    await responses.keep(caller, key, JSON.stringify({ ...shown, by: hashOf(document) }));
  }
}

/**
 * Finds the first response to a write. Returns undefined if no response is stored, or if it was selected by a different document,
 * for example before a deployment.
 */
async function findFirst<Caller>({
  responses,
  caller,
  key,
  document,
}: KeyedWrite<Caller>): Promise<Shown | undefined> {
  const text = await responses.find(caller, key);
  const kept: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isJsonObject(kept) || typeof kept['body'] !== 'string' || kept['by'] !== hashOf(document)) {
    return undefined;
  }
  const { body, etag, location } = kept;
  return { body, etag: textOf(etag), location: textOf(location) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const hashes = new WeakMap<DocumentNode, string>();

function hashOf(document: DocumentNode): string {
  const known = hashes.get(document) ?? hash('sha1', print(document), 'base64');
  hashes.set(document, known);
  return known;
}
