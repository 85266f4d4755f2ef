import type { Request, Response } from 'express';
import type { DocumentNode, ExecutionResult } from 'graphql';
import { acceptedType } from '@gateway/http-server/http/accept';
import { sendTagged } from '@gateway/http-server/http/conditional';
import { idempotencyKeyOf } from '@gateway/http-server/http/idempotency-key';
import { readJsonObject } from '@gateway/http-server/http/json-body';
import { send } from '@gateway/http-server/http/send';
import { isJsonObject } from '@gateway/exact-json/json';
import { nameOperation } from '@gateway/log/log';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';
import { isPage, pageLinks } from './page.ts';
import type { PreparedRoute } from './rest.ts';

/** What a route needs of the service that it is part of. */
export interface ServeDependencies<Caller> {
  /** Tells who calls before anything else of a request is read, or throws. */
  readonly admit: (exchange: { request: Request; response: Response }) => Promise<{
    readonly caller: Caller;
    /** Milliseconds that it has waited for that. */
    readonly waited: number;
    /** To be awaited when it has waited for its body, before much is done. */
    readonly turn: () => Promise<void>;
  }>;
  readonly execute: (
    operation: { document: DocumentNode; variableValues: Record<string, unknown> },
    request: { caller: Caller; idempotencyKey: string | undefined; waited: number },
  ) => Promise<ExecutionResult>;
}

/** Runs a route as an operation of the schema on behalf of its caller. */
export async function serve<Caller>(
  { operation, method, status, variables, read }: PreparedRoute,
  { admit, execute }: ServeDependencies<Caller>,
  request: Request,
  response: Response,
): Promise<void> {
  nameOperation(operation.name);
  const { caller, waited, turn } = await admit({ request, response });
  const mediaType = acceptedType(request, [JSON_TYPE]);
  const idempotencyKey = method === 'post' ? idempotencyKeyOf(request) : undefined;
  // Express parses it each time that it is asked for.
  const { query } = request;
  const body =
    variables.body === undefined ? NO_BODY : await readJsonObject(request, response, turn);
  const variableValues = read({ path: request.params, query, body });

  const { data, errors } = await execute(
    { document: operation.document, variableValues },
    { caller, idempotencyKey, waited },
  );
  const [error] = errors ?? [];
  if (error !== undefined) {
    throw error;
  }
  const resource: unknown = Object.values(data ?? {})[0];
  if (typeof resource !== 'object' || resource === null) {
    throw new Error(`the operation ${operation.name} tells of nothing`);
  }
  const page = isPage(resource) ? resource : undefined;
  const path = request.baseUrl + request.path;
  if (page !== undefined) {
    response.append('Link', pageLinks(variables.query, page, { path, query }));
  }
  if (status === 201 && isJsonObject(resource)) {
    response.location(`${path}/${String(resource['id'])}`);
  }
  const { body: text, etag } = operation.represent(page?.nodes ?? resource);
  if (method === 'get') {
    sendTagged({ request, response }, { etag, mediaType, body: text });
  } else {
    response.status(status);
    send(response, mediaType, text);
  }
}

const NO_BODY = {};
