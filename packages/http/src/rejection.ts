import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { pathOf } from '@store-gateway/ops';
import { errorBody, graphqlErrorBody, sendError, type ErrorShape } from './message/error-writer.ts';
import { JSON_TYPE } from './message/send.ts';

/** Rejects a request unread, which is no error of ours to log, in the shape of the surface that was asked for. */
export type Reject = (
  request: IncomingMessage,
  response: ServerResponse,
  error: GraphQLError,
) => void;

/** The surface that answers at a path. */
export type SurfaceOf = (path: string) => 'rest' | 'graphql' | 'other';

export function createReject(surfaceOf: SurfaceOf): Reject {
  const shape = shapeBy(surfaceOf);
  return (request, response, error) => {
    sendError(error, request, response, shape);
  };
}

/** The shape of the surface that was asked for. */
export function shapeBy(surfaceOf: SurfaceOf): ErrorShape {
  return {
    type: () => JSON_TYPE,
    body: (error, { url = '', originalUrl = url }) =>
      surfaceOf(pathOf(originalUrl)) === 'graphql' ? graphqlErrorBody(error) : errorBody(error),
  };
}
