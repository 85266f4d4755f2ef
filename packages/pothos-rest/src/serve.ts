import type { Request, Response } from 'express';
import type { ExecuteInTime } from '@gateway/graphql-execution/execute';
import { acceptedType } from '@gateway/http-server/http/accept';
import type { Caller } from '../../../src/auth/caller.ts';
import { callerOf, type Admission } from '../../../src/auth/request-caller.ts';
import { sendTagged } from '@gateway/http-server/http/conditional';
import { idempotencyKeyOf } from '@gateway/http-server/http/idempotency-key';
import { readJsonObject } from '@gateway/http-server/http/json-body';
import { send } from '@gateway/http-server/http/send';
import { isJsonObject } from '@gateway/exact-json/json';
import { nameOperation } from '@gateway/log/log';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';
import { isPage, pageLinks } from './page.ts';
import type { Route } from '../../../src/rest/routes.ts';
import { readAll } from './variables.ts';

export interface ServeDependencies {
  readonly admission: Admission;
  readonly execute: ExecuteInTime<Caller>;
}

/** Runs a route as an operation of the schema on behalf of its caller. */
export async function serve(
  route: Route,
  { admission, execute }: ServeDependencies,
  request: Request,
  response: Response,
): Promise<void> {
  const { operation, status } = route;
  nameOperation(operation.name);
  const { caller, waited, turn } = await callerOf({ request, response }, admission);
  const mediaType = acceptedType(request, [JSON_TYPE]);
  const idempotencyKey = route.method === 'post' ? idempotencyKeyOf(request) : undefined;
  // Express parses it each time that it is asked for.
  const { query } = request;
  const variableValues = {
    ...readAll(route.pathParameters, request.params),
    ...readAll(route.queryParameters, query),
    ...(route.body && {
      [route.body.variable]: readAll(
        route.body.members,
        await readJsonObject(request, response, turn),
      ),
    }),
  };

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
    response.append('Link', pageLinks(route, page, { path, query }));
  }
  if (status === 201 && isJsonObject(resource)) {
    response.location(`${path}/${String(resource['id'])}`);
  }
  const { body, etag } = operation.represent(page?.nodes ?? resource);
  if (route.method === 'get') {
    sendTagged({ request, response }, { etag, mediaType, body });
  } else {
    response.status(status);
    send(response, mediaType, body);
  }
}
