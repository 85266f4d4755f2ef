import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocumentNode } from 'graphql';
import { codedError, errorCode, type Scopes } from '@store-gateway/ops/errors';
import type { ExecuteInTime } from '@store-gateway/graphql/execution';
import {
  acceptedType,
  announceDeprecation,
  sendNotModified,
  announceReplay,
  idempotencyKeyOf,
  readJsonObject,
  expectUtf8Query,
  referenceTo,
  matchesStrongly,
  JSON_TYPE,
  send,
  sendHeaders,
  announceStrict,
  prefersStrict,
} from '@store-gateway/http';
import { isJsonObject, nameOperation } from '@store-gateway/ops';
import {
  removalMessage,
  removalTime,
  isPreconditionFailed,
  preconditionFailed,
  expectScopes,
  lackingScopes,
} from '@store-gateway/graphql';
import { bodyFormatOf } from './body-format.ts';
import type { Announcer } from './deprecation.ts';
import { findFirst, keepFirst, type ResponseStore, type Shown } from './first-response.ts';
import type { Operation } from './operation.ts';
import { wantsProblem } from './problem.ts';
import { announceIgnored, refuseUnknown, refuseWithoutEffect } from './strict.ts';
import { isPage, pageLinks, TOTAL_COUNT } from './page.ts';
import { NO_TAG_OF_ROW, preconditionsOf } from './preconditions.ts';
import { errorToSend } from './path-faults.ts';
import { errorInRestNames } from './rest-names.ts';
import { hasEntityTag, isCreation, type PreparedRoute } from './rest.ts';

/** The operation that a request would have executed, with the variables that its path has. */
interface RefusedOperation {
  readonly document: DocumentNode;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** A request that may go on. */
interface Admitted<Caller> {
  /** Who asks: what `execute` and `scopesOf` get. */
  readonly caller: Caller;
  /** Milliseconds that this took, of the request's deadline; by default none. */
  readonly waited?: number;
  /** Awaited between receiving and parsing the body, for requests to take turns; by default they don't. */
  readonly turn?: () => Promise<void>;
}

const NO_TURN = (): Promise<void> => Promise.resolve();

/** What routes need of the service. */
export interface ServeDependencies<Caller> {
  /** Where clients reach the service, for absolute references; relative ones by default. */
  readonly publicUrl?: string | undefined;
  /** Authenticates a request before anything else of it is read, or throws: `codedError('UNAUTHENTICATED', …)`, for example. */
  readonly admit: (exchange: {
    request: IncomingMessage;
    response: ServerResponse;
  }) => Admitted<Caller> | Promise<Admitted<Caller>>;
  /** What a caller may do; by default everything, if the schema declares no scopes. */
  readonly scopesOf?: (caller: Caller) => Scopes;
  /** Executes an operation, such as `createExecute` of @store-gateway/graphql does. */
  readonly execute: ExecuteInTime<Caller>;
  /** Keeps first responses, for retries; without it, what these show beside the written row is as it is by then. */
  readonly responses?: ResponseStore<Caller> | undefined;
  /** Called for each request of a route that is itself deprecated. */
  readonly onDeprecatedCall?: (caller: Caller, of: string) => void;
  /** Called for a request to change something that was refused before its operation was executed. */
  readonly onRefused?: (caller: Caller, operation: RefusedOperation, error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A request and its response, by Express or not. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly query: Record<string, unknown>;
  /** The route's, as of now. */
  readonly operation: Operation;
  readonly announcer: Announcer;
}

/** Serves a request by executing the route's operation. */
export async function serve<Caller>(
  route: PreparedRoute,
  {
    publicUrl,
    admit,
    scopesOf = () => 'all',
    execute,
    responses,
    onDeprecatedCall,
    now = Date.now,
  }: ServeDependencies<Caller>,
  { request, response, path, parameters, query, operation, announcer }: Exchange,
): Promise<void> {
  const { method, variables, read, deprecations, unread } = route;
  nameOperation(operation.name);
  const { caller, waited = 0, turn = NO_TURN } = await admit({ request, response });
  const isStrict = prefersStrict(request);
  if (isStrict) {
    announceStrict(response);
  } else {
    announceIgnored(response, variables, query);
  }
  const scopes = scopesOf(caller);
  const mayRead = unread === undefined || lackingScopes(scopes, ['read']).length === 0;
  expectScopes(scopes, mayRead ? route.scopes : unread.scopes);
  const status = mayRead ? route.status : 204;
  const { own } = deprecations;
  if (own !== undefined) {
    onDeprecatedCall?.(caller, own.of);
    if (removalTime(own) <= now()) {
      throw codedError('GONE', removalMessage(own));
    }
  }
  expectUtf8Query(request.url);
  const mediaType =
    status === 204 || wantsProblem(request) ? JSON_TYPE : acceptedType(request, [JSON_TYPE]);
  const idempotencyKey = method === 'get' ? undefined : idempotencyKeyOf(request);
  if (idempotencyKey !== undefined && !operation.field.extensions.idempotency) {
    // If it were ignored, a retry would do again what the client takes for done once.
    throw codedError('BAD_USER_INPUT', 'This mutation does not accept an Idempotency-Key');
  }
  const { ifMatch, variable, isOfNoRow = false } = preconditionsOf(route, request);
  const body =
    variables.body === undefined
      ? NO_BODY
      : await readJsonObject(request, response, turn, bodyFormatOf(route));
  if (isStrict) {
    refuseUnknown(variables, { query, body });
  }
  if (method === 'patch') {
    refuseWithoutEffect(variables, body);
  }
  const variableValues = read({ path: parameters, query, body });
  if (variable !== undefined) {
    Object.assign(variableValues, variable);
  }
  const earlier = announcer.earlier(operation, variableValues, parameters);
  if (earlier !== undefined) {
    announceDeprecation(response, earlier, announcer.always(operation, parameters));
  }

  let isReplay = false;
  const onReplay = idempotencyKey === undefined ? undefined : () => (isReplay = true);
  const { document, planRows } = mayRead ? operation : unread.operation;
  const { data, errors } = await execute(
    { document, variableValues, planRows },
    { caller, idempotencyKey, waited, onReplay },
  );
  const keyed =
    idempotencyKey !== undefined && responses !== undefined && operation.isKept && status !== 204
      ? { responses, caller, key: idempotencyKey, document }
      : undefined;
  const first = keyed && isReplay ? await findFirst(keyed) : undefined;
  const error = errors && errorToSend(errors, variables);
  if (error !== undefined && (first === undefined || errorCode(error) !== 'GONE')) {
    throw isOfNoRow && isPreconditionFailed(error)
      ? preconditionFailed(NO_TAG_OF_ROW)
      : errorInRestNames(error, operation.inputs, variables.body && { [variables.body[0]]: body });
  }
  if (isReplay) {
    const isAsFirst = first !== undefined || operation.showsRowAlone || status === 204;
    announceReplay(response, isAsFirst);
  }
  if (first !== undefined) {
    response.statusCode = status;
    sendShown(response, mediaType, first);
    return;
  }
  const resource: unknown = data?.[operation.key];
  if (status === 204) {
    response.statusCode = status;
    sendHeaders(response);
    return;
  }
  if (typeof resource !== 'object' || resource === null) {
    throw new Error(`the operation ${operation.name} has no result`);
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
    await keepFirst(keyed, shown);
  }
  response.statusCode = status;
  sendShown(response, mediaType, shown);
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

const NO_BODY = {};
