import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecuteInTime } from '@gateway/graphql-server/execution/execute';
import { acceptedType } from '@gateway/http-server/http/accept';
import { sendNotModified } from '@gateway/http-server/http/conditional';
import { announceReplay, idempotencyKeyOf } from '@gateway/http-server/http/idempotency-key';
import { readJsonObject } from '@gateway/http-server/http/json-body';
import { referenceTo } from '@gateway/http-server/http/reference';
import { JSON_TYPE, send } from '@gateway/http-server/http/send';
import { isJsonObject } from '@gateway/exact-json/json';
import { nameOperation } from '@gateway/log/request-context';
import { isPage, pageLinks } from './page.ts';
import type { PreparedRoute } from './rest.ts';

/** What routes need of the service. */
export interface ServeDependencies<Caller> {
  /** Where clients reach the service, for absolute references; relative ones by default. */
  readonly publicUrl?: string | undefined;
  /** Authenticates a request before anything else of it is read, or throws. */
  readonly admit: (exchange: { request: IncomingMessage; response: ServerResponse }) => Promise<{
    readonly caller: Caller;
    /** Milliseconds that this took. */
    readonly waited: number;
    /** Awaited between receiving and parsing the body. */
    readonly turn: () => Promise<void>;
  }>;
  readonly execute: ExecuteInTime<Caller>;
}

/** A request and its response, by Express or not. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly query: Record<string, unknown>;
}

/** Serves a request by executing the route's operation. */
export async function serve<Caller>(
  { operation, method, status, variables, read }: PreparedRoute,
  { publicUrl, admit, execute }: ServeDependencies<Caller>,
  { request, response, path, parameters, query }: Exchange,
): Promise<void> {
  nameOperation(operation.name);
  const { caller, waited, turn } = await admit({ request, response });
  const mediaType = acceptedType(request, [JSON_TYPE]);
  const idempotencyKey = method === 'post' ? idempotencyKeyOf(request) : undefined;
  const body =
    variables.body === undefined ? NO_BODY : await readJsonObject(request, response, turn);
  const variableValues = read({ path: parameters, query, body });

  let isReplay = false;
  const onReplay = idempotencyKey === undefined ? undefined : () => (isReplay = true);
  const { data, errors } = await execute(
    { document: operation.document, variableValues },
    { caller, idempotencyKey, waited, onReplay },
  );
  const [error] = errors ?? [];
  if (error !== undefined) {
    throw error;
  }
  const resource: unknown = Object.values(data ?? {})[0];
  if (typeof resource !== 'object' || resource === null) {
    throw new Error(`the operation ${operation.name} has no result`);
  }
  const page = isPage(resource) ? resource : undefined;
  if (page !== undefined) {
    const links = pageLinks(variables.query, page, { path, query, publicUrl });
    response.appendHeader('Link', links);
  }
  if (isReplay) {
    announceReplay(response);
  }
  if (status === 201 && isJsonObject(resource)) {
    const created = `${path}/${encodeURIComponent(String(resource['id']))}`;
    response.setHeader('Location', referenceTo(created, { from: path, publicUrl }));
  }
  const { body: text, etag } = operation.represent(page?.nodes ?? resource);
  if (method === 'get' && sendNotModified(response, etag())) {
    return;
  }
  response.statusCode = status;
  send(response, mediaType, text);
}

const NO_BODY = {};
