import type { IncomingMessage } from 'node:http';
import cors from 'cors';
import { sendHeaders } from './message/send.ts';
import type { Layer } from './steps.ts';

/** Seconds for which a browser may cache the response to a preflight: Chromium's maximum. */
const PREFLIGHT_SECONDS = 7200;

/** The CORS policy of a server. */
interface Cors {
  /** Sets the headers of responses. */
  readonly allow: Layer;
  readonly answerPreflights: Layer;
}

/**
 * Allows pages from these origins to call both APIs from a browser (https://fetch.spec.whatwg.org/#http-cors-protocol). Pages
 * send the API key in a header, so requests with cookies or other credentials aren't allowed.
 *
 * @param methods the methods that the server accepts
 * @param headers the headers that pages may send in addition to those that the server and common clients use
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
      // Tracers and older libraries add these to each request.
      'baggage',
      'sentry-trace',
      'X-Requested-With',
      // Apollo and other GraphQL clients send these headers to identify themselves. If they weren't allowed, browsers would block
      // the requests.
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
        // Without this, some browsers wait for a body.
        response.setHeader('Content-Length', '0');
        sendHeaders(response);
      } else {
        next(request, response);
      }
    },
  };
}

/** Whether a request is a CORS preflight. The endpoint answers any other OPTIONS request. */
function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
