import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { errorCode, type Scopes } from '@store-gateway/ops/errors';
import type {
  ExecuteInTime,
  Operation as ExecutedOperation,
} from '@store-gateway/graphql/execution';
import {
  acceptedType,
  type Admit,
  announceDeprecation,
  type Exchange,
  sendNotModified,
  announceReplay,
  readJsonObject,
  referenceTo,
  matchesStrongly,
  JSON_TYPE,
  send,
  sendHeaders,
  announceStrict,
  prefersStrict,
  takeExchange,
} from '@store-gateway/http';
import { isJsonObject, nameOperation } from '@store-gateway/ops';
import {
  removalError,
  isPreconditionFailed,
  preconditionFailed,
  expectScopes,
  lackingScopes,
} from '@store-gateway/graphql';
import { bodyFormatOf } from './body-format.ts';
import type { Announcer, Documentation } from './deprecation.ts';
import { findFirst, keepFirst, type ResponseStore, type Shown } from './first-response.ts';
import type { Operation } from './operation.ts';
import { wantsProblem } from './problem.ts';
import { announceIgnored, refuseUnknown, refuseWithoutEffect } from './strict.ts';
import { isPage, pageLinks, TOTAL_COUNT } from './page.ts';
import { NO_TAG_OF_ROW, preconditionsOf } from './preconditions.ts';
import { errorToSend } from './path-faults.ts';
import { errorInRestNames } from './rest-names.ts';
import { hasEntityTag, isCreation, type PreparedRoute } from './rest.ts';

/** Dependencies of the routes on the service. */
export interface ServeDependencies<Caller> extends Pick<Documentation, 'publicUrl'> {
  /** Authenticates a request before anything else of it is read. */
  readonly admit: Admit<Caller>;
  /** Returns a caller's scopes; by default all, if the schema declares none. */
  readonly scopesOf?: (caller: Caller) => Scopes;
  /** Executes an operation, for example by `createExecute` of @store-gateway/graphql. */
  readonly execute: ExecuteInTime<Caller>;
  /**
   * Stores first responses, for retries. Without it, the response to a retry shows other rows than the written one in their
   * current state.
   */
  readonly responses?: ResponseStore<Caller> | undefined;
  /** Called for each request to a route that is itself deprecated. */
  readonly onDeprecatedCall?: (caller: Caller, of: string) => void;
  /**
   * Called for a request to change something that was refused before its operation was executed, with the variables that its path
   * has.
   */
  readonly onRefused?: (caller: Caller, operation: ExecutedOperation, error: unknown) => void;
  /** Milliseconds since 1970. */
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
  readonly announcer: Announcer;
}

type Body = Readonly<Record<string, unknown>>;

/** Serves a request by executing the route's operation. */
export async function serve<Caller>(
  route: PreparedRoute,
  dependencies: ServeDependencies<Caller>,
  received: RouteRequest,
): Promise<void> {
  nameOperation(received.operation.name);
  await takeExchange(exchangeOf(route, dependencies, received), dependencies.admit);
}

function exchangeOf<Caller>(
  route: PreparedRoute,
  {
    publicUrl,
    scopesOf = () => 'all',
    execute,
    responses,
    onDeprecatedCall,
    onRefused,
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
      const mayRead = unread === undefined || lackingScopes(scopes, ['read']).length === 0;
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
        refuseUnknown(variables, { query, body });
      }
      if (method === 'patch') {
        refuseWithoutEffect(variables, body);
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
      sendShown(response, mediaType, shown);
    },
    onRefused: (caller, error) => {
      onRefused?.(caller, { document: operation.document, variableValues: parameters }, error);
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
