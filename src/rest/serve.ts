import etag from 'etag';
import type { Request, Response } from 'express';
import type { Authenticate } from '../auth/authenticate.ts';
import { acceptedType } from '../http/accept.ts';
import { callerOf } from '../http/caller.ts';
import { sendTagged } from '../http/conditional.ts';
import { readJsonObject } from '../http/json-body.ts';
import { isJsonObject } from '../json.ts';
import type { Execute } from '../schema/execute.ts';
import { MEDIA_TYPE } from './media-type.ts';
import { isPage, pageLinks } from './page.ts';
import { representation } from './representation.ts';
import type { Route } from './routes.ts';
import { readAll } from './variables.ts';

export interface ServeDependencies {
  readonly authenticate: Authenticate;
  readonly execute: Execute;
}

/** Runs a route as an operation of the schema on behalf of its caller. */
export async function serve(
  route: Route,
  { authenticate, execute }: ServeDependencies,
  request: Request,
  response: Response,
): Promise<void> {
  const { operation, status } = route;
  const caller = await callerOf({ request, response }, authenticate);
  const mediaType = acceptedType(request, [MEDIA_TYPE]);
  const variables = await readVariables(route, request, response);

  const { data, errors } = await execute(operation.document, variables, caller);
  const [error] = errors ?? [];
  if (error !== undefined) {
    throw error;
  }
  const [resource] = Object.values(data ?? {});
  if (isPage(resource)) {
    response.append('Link', pageLinks(route, resource, request));
  }
  if (status === 201 && isJsonObject(resource)) {
    response.location(`${request.baseUrl}${request.path}/${String(resource['id'])}`);
  }
  const body = representation(isPage(resource) ? resource.nodes : resource, operation.idKeys);
  if (route.method === 'get') {
    sendTagged({ request, response }, { etag: etag(body), mediaType, body });
  } else {
    response.status(status).type(mediaType).send(body);
  }
}

async function readVariables(
  { pathParameters = {}, queryParameters = {}, body }: Route,
  request: Request,
  response: Response,
): Promise<Record<string, unknown>> {
  return {
    ...readAll(pathParameters, request.params),
    ...readAll(queryParameters, request.query),
    ...(body && {
      [body.variable]: readAll(body.members, await readJsonObject(request, response)),
    }),
  };
}
