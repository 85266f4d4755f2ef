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
import { hideKeys } from '@gateway/log/redact-keys';
import { pathOf } from '../request-path.ts';
import { requestUnderWay } from '@gateway/log/log';
import { tracer } from './spans.ts';
import type { RouteOf } from '../tracer.ts';

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/: others could be many. */
const METHODS = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '));

/** Gives each request a span, a child of the one that its `traceparent` names. */
export function traceRequests(listener: RequestListener, routeOf: RouteOf): RequestListener {
  return (request, response) => {
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = attributesOf(request);
    const span = tracer.startSpan(nameOf(request), { kind: SpanKind.SERVER, attributes }, parent);
    const spanContext = span.spanContext();
    const underWay = requestUnderWay.getStore();
    if (underWay !== undefined && isSpanContextValid(spanContext)) {
      underWay.traceId = spanContext.traceId;
    }
    if (!span.isRecording()) {
      // Nor is anything within it: without a span under way it doesn't even ask.
      listener(request, response);
      return;
    }
    response.on('close', () => {
      end(span, { request, response, route: routeOf(request) });
    });
    context.with(trace.setSpan(parent, span), listener, undefined, request, response);
  };
}

function nameOf({ method = '' }: IncomingMessage): string {
  return METHODS.has(method) ? method : 'HTTP';
}

/** Without the query string and without headers: they may have anything in them, keys included. */
function attributesOf({ method = '', url = '', httpVersion }: IncomingMessage): Attributes {
  return {
    ...(METHODS.has(method)
      ? { 'http.request.method': method }
      : { 'http.request.method': '_OTHER', 'http.request.method_original': method }),
    'url.path': hideKeys(pathOf(url)),
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
  };
}

interface Ended {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: string | undefined;
}

function end(span: Span, { request, response, route }: Ended): void {
  const { statusCode, headersSent, writableFinished } = response;
  if (route !== undefined) {
    span.updateName(`${nameOf(request)} ${route}`).setAttribute('http.route', route);
  }
  if (headersSent) {
    span.setAttribute('http.response.status_code', statusCode);
  }
  if (headersSent && statusCode >= 500) {
    span.setAttribute('error.type', String(statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  } else if (!writableFinished) {
    // The client has given up, which is no failure of the service.
    span.setAttribute('error.type', 'aborted');
  }
  span.end();
}
