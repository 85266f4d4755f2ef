import type { Request, Response } from 'express';
import type { Authenticate } from '../auth/authenticate.ts';
import { acceptedType } from '../http/accept.ts';
import { callerOf } from '../http/caller.ts';
import { readJsonObject } from '../http/json-body.ts';
import { isJsonObject } from '../json.ts';
import type { Execute } from '../schema/execute.ts';
import { MEDIA_TYPE } from './media-type.ts';
import { representation } from './representation.ts';
import type { Route } from './routes.ts';

export interface RestDependencies {
  readonly authenticate: Authenticate;
  readonly execute: Execute;
}

/** Runs a route as an operation of the schema on behalf of its caller. */
export async function serve(
  { operation, variables, method, status }: Route,
  { authenticate, execute }: RestDependencies,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await callerOf({ request, response }, authenticate);
  const mediaType = acceptedType(request, [MEDIA_TYPE]);
  const body = method === 'post' ? await readJsonObject(request, response) : {};
  const { params: path, query } = request;

  const { data, errors } = await execute(
    operation.document,
    given(variables({ path, query, body })),
    caller,
  );
  const [error] = errors ?? [];
  if (error !== undefined) {
    throw error;
  }
  const [resource] = Object.values(data ?? {});
  response.status(status).type(mediaType);
  if (status === 201 && isJsonObject(resource)) {
    response.location(`${request.baseUrl}${request.path}/${String(resource['id'])}`);
  }
  response.send(representation(resource, operation.idKeys));
}

/** GraphQL takes a variable that is there, but undefined, for null. */
function given(variables: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}
