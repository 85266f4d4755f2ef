import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
} from '@opentelemetry/api';
import { requestContext, redactKeys, pathOf, type RouteOf } from '@store-gateway/ops';
import { spans } from './spans.ts';

/** Methods that a span may be named after (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). */
const METHODS = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '));

/** Gives each request a span, a child of the one in its `traceparent`. */
export function traceRequests(listener: RequestListener, routeOf: RouteOf): RequestListener {
  return (request, response) => {
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = attributesOf(request);
    const span = spans.startSpan(nameOf(request), { kind: SpanKind.SERVER, attributes }, parent);
    const spanContext = span.spanContext();
    const current = requestContext.getStore();
    if (current !== undefined && isSpanContextValid(spanContext)) {
      current.traceId = spanContext.traceId;
    }
    if (!span.isRecording()) {
      // Without an active span, nothing within it makes one either.
      listener(request, response);
      return;
    }
    response.on('close', () => {
      endSpan(span, request, response, { route: routeOf(request), errorType: current?.errorType });
    });
    context.with(trace.setSpan(parent, span), listener, undefined, request, response);
  };
}

function nameOf({ method = '' }: IncomingMessage): string {
  return METHODS.has(method) ? method : 'HTTP';
}

/** Without the query string and the headers, which may contain anything, keys included. */
function attributesOf({ method = '', url = '', httpVersion }: IncomingMessage): Attributes {
  return {
    ...(METHODS.has(method)
      ? { 'http.request.method': method }
      : { 'http.request.method': '_OTHER', 'http.request.method_original': method }),
    'url.path': redactKeys(pathOf(url)),
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
  };
}

function endSpan(
  span: Span,
  request: IncomingMessage,
  { statusCode, headersSent, writableFinished }: ServerResponse,
  known: { readonly route: string | undefined; readonly errorType: string | undefined },
): void {
  const { route, errorType = statusCode >= 500 ? String(statusCode) : undefined } = known;
  if (route !== undefined) {
    span.updateName(`${nameOf(request)} ${route}`).setAttribute('http.route', route);
  }
  if (headersSent) {
    span.setAttribute('http.response.status_code', statusCode);
  }
  if (headersSent && errorType !== undefined) {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  } else if (!writableFinished) {
    // The client gave up, which is no failure of the service.
    span.setAttribute('error.type', 'aborted');
  }
  span.end();
}
