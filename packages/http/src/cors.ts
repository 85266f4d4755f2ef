import type { IncomingMessage } from 'node:http';
import cors from 'cors';
import { sendHeaders } from './message/send.ts';
import type { Layer } from './steps.ts';

/** Seconds that a browser may cache a preflight: Chromium's maximum. */
const PREFLIGHT_SECONDS = 7200;

/** How pages of other origins may use the service. */
interface Cors {
  /** Sets the headers of responses. */
  readonly allow: Layer;
  readonly answerPreflights: Layer;
}

/**
 * Lets pages of these origins use the service from a browser, both surfaces alike
 * (https://fetch.spec.whatwg.org/#http-cors-protocol). Keys are sent by the page itself: no cookies, no
 * credentials.
 *
 * @param methods of the whole server
 * @param headers that pages may send, besides those that the server and common clients know
 */
export function allowOrigins(
  origins: readonly string[],
  {
    methods,
    headers,
  }: { readonly methods: readonly string[]; readonly headers: readonly string[] },
): Cors {
  if (origins.length === 0) {
    return { allow: (next) => next, answerPreflights: (next) => next };
  }
  const setHeaders = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: [...methods],
    allowedHeaders: [
      'Authorization',
      'Content-Encoding',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Prefer',
      'traceparent',
      'tracestate',
      'X-Request-Id',
      // What tracers and older libraries add to each request.
      'baggage',
      'sentry-trace',
      'X-Requested-With',
      // By which clients of GraphQL name themselves: Apollo's and others'. Otherwise they could not be called at all.
      'apollographql-client-name',
      'apollographql-client-version',
      'apollo-require-preflight',
      'X-Apollo-Operation-Name',
      'graphql-client-name',
      'graphql-client-version',
      ...headers,
    ],
    exposedHeaders: [
      'Deprecation',
      'ETag',
      'Idempotent-Replayed',
      'Ignored-Parameters',
      'Link',
      'Location',
      'Preference-Applied',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'Sunset',
      'WWW-Authenticate',
      'X-Request-Id',
      'X-Total-Count',
    ],
    maxAge: PREFLIGHT_SECONDS,
    preflightContinue: true,
  });
  return {
    allow: (next) => (request, response) => {
      if (request.method === 'OPTIONS' && !isPreflight(request)) {
        next(request, response);
      } else {
        setHeaders(request, response, () => {
          next(request, response);
        });
      }
    },
    answerPreflights: (next) => (request, response) => {
      if (isPreflight(request)) {
        response.statusCode = 204;
        // Some browsers wait for a body otherwise.
        response.setHeader('Content-Length', '0');
        sendHeaders(response);
      } else {
        next(request, response);
      }
    },
  };
}

/** Any other OPTIONS is answered by its address. */
function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
