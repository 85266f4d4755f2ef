import type { IncomingMessage, ServerResponse } from 'node:http';
import { codedError, retryHeaders, type ErrorCode } from '@gateway/errors/coded-error';
import { errorBody, graphqlErrorBody } from './http/error-body.ts';
import { JSON_TYPE } from './http/json-type.ts';
import { send } from './http/send.ts';
import { requestContext } from '@gateway/log/log';
import type { Step } from '../../../src/app/cors.ts';
import { pathOf } from '@gateway/telemetry/request-path';
import { surfaceOf } from '../../../src/app/surface.ts';

/** An answer to requests that nobody looks at any closer: written once, and sent often. */
export interface Refusal {
  readonly status: number;
  /** The contract's Error, and the same as GraphQL tells it. */
  readonly body: string;
  readonly graphqlBody: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a refusal in the shape of the surface that was asked for. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, refusal: Refusal) => void;

/** @param headers beside those that each refusal has */
export function refusalOf(
  code: ErrorCode,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  const error = codedError(code, text);
  return {
    status: error.extensions.status ?? 500,
    body: JSON.stringify(errorBody(error)),
    graphqlBody: JSON.stringify(graphqlErrorBody(error)),
    headers: {
      'X-Content-Type-Options': 'nosniff',
      // As on all that has to do with a key. A cache may keep some otherwise, such as 414 (RFC 9110, 15.1).
      'Cache-Control': 'private, no-cache',
      ...retryHeaders(code),
      ...headers,
    },
  };
}

/** @param allow lets pages of other origins read the answer */
export function createRefuse(allow: Step | undefined): Refuse {
  return (request, response, refusal) => {
    response.setHeader('X-Request-Id', requestContext.getStore()?.id ?? '');
    if (allow === undefined) {
      sendRefusal(request, response, refusal);
    } else {
      allow(request, response, () => {
        sendRefusal(request, response, refusal);
      });
    }
  };
}

/** Sends a refusal as it is, beside the headers that the response has already. */
export function sendRefusal(
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  { status, body, graphqlBody, headers }: Refusal,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value);
  }
  send(response, JSON_TYPE, surfaceOf(pathOf(url)) === 'graphql' ? graphqlBody : body);
}
