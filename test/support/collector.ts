import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  type RequestListener,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { isJsonObject } from '@store-gateway/ops';
import { onTestFinished, expect } from 'vitest';
import { randomBytes } from 'node:crypto';
import { portOf } from './listen-locally.ts';
import { keptForFile } from './clean-up.ts';
import { firstKey, logOf, startPatientService } from './service.ts';

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: number };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

export const SERVER = 2;

/** Starts a collector that stores what is exported over HTTP. */
export async function startCollector() {
  let received = '';
  const exports: Export[] = [];
  const server = createServer().setMaxListeners(0);
  const keep = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) {
      // The sender has ended meanwhile.
      return;
    }
    received += `${request.url} ${JSON.stringify(request.headers)}\n${body}\n`;
    exports.push(parse(body));
    response.end('{}');
    server.emit('exported');
  };
  server.on('request', (request, response) => void keep(request, response));
  const port = await portOf(server);
  const spans = () =>
    exports.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  return {
    /** The environment in which a service exports to this collector quickly, as JSON. */
    env: environmentFor(port),
    /** Everything that the collector received: headers and bodies. */
    received: () => received,
    /** The exporting service's resource; empty before the first export. */
    resource: () => attributesOf(exports[0]?.resourceSpans[0]?.resource ?? { attributes: [] }),
    /** The spans in all traces so far. */
    spans,
    /** Resolves to a trace's spans when its server span has arrived, which is the last to end. */
    trace: async (traceId: string): Promise<readonly Span[]> => {
      for (;;) {
        const ofTrace = spans().filter((span) => span.traceId === traceId);
        if (ofTrace.some(({ kind }) => kind === SERVER)) {
          return ofTrace;
        }
        await once(server, 'exported');
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Returns the environment in which a service exports its spans to a local port, without waiting for more of them. */
function environmentFor(port: number): NodeJS.ProcessEnv {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '10',
  };
}

function parse(body: string): Export {
  const sent: unknown = JSON.parse(body);
  if (!isExport(sent)) {
    throw new Error(`no spans: ${body}`);
  }
  return sent;
}

function isExport(sent: unknown): sent is Export {
  return isJsonObject(sent) && Array.isArray(sent['resourceSpans']);
}

export function attributesOf({ attributes }: Pick<Span, 'attributes'>): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value)[0]] as const),
  );
}

/** Formats spans as lines, each indented below its parent, in the order in which they were started. */
export function treeOf(spans: readonly Span[], parent?: string, indent = ''): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans
    .filter(({ parentSpanId }) =>
      parent === undefined
        ? parentSpanId === undefined || !ids.has(parentSpanId)
        : parentSpanId === parent,
    )
    .flatMap(({ name, spanId }) => [indent + name].concat(treeOf(spans, spanId, `${indent}  `)));
}

/**
 * Returns the environment in which a service exports its traces to a server with this listener, or to a server that is
 * gone.
 */
export async function exportingTo(listener: RequestListener | 'gone'): Promise<NodeJS.ProcessEnv> {
  const server = listener === 'gone' ? createServer() : createServer(listener);
  const env = environmentFor(await portOf(server));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  if (listener === 'gone') {
    close();
    await once(server, 'close');
  } else {
    onTestFinished(close);
  }
  return env;
}

export interface Sent {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** Returns a new trace id, and the `traceparent` with which a client sends it. */
export function newTrace(isSampled = true) {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-00f067aa0ba902b7-${isSampled ? '01' : '00'}` };
}

/** Starts a service with tracing, until the file's tests are over. */
export async function startTracedService() {
  const collector = keptForFile(await startCollector());
  const service = await startPatientService({
    ...collector.env,
    // With it preloaded, an operation is compiled right after its second use.
    NODE_OPTIONS: '--import graphql-jit',
  });
  const key = await firstKey(service);
  let requests = 0;

  async function send(path: string, { method = 'GET', body, headers = {} }: Sent) {
    requests += 1;
    const requestId = `request-${requests}:`;
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        'X-Request-Id': requestId,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    await answer.arrayBuffer();
    return { status: answer.status, requestId };
  }

  /** Returns a request's log lines, which are written some time after the response. */
  async function linesOf(requestId: string): Promise<Record<string, unknown>[]> {
    const isLast = (line: string) =>
      line.includes(`"requestId":"${requestId}"`) && line.includes('"durationMs"');
    await service.child.line('stdout', isLast);
    return logOf(service).filter(({ requestId: id }) => id === requestId);
  }

  async function spansOf(traceId: string) {
    const spans = await collector.trace(traceId);
    const server = spans.find(({ kind }) => kind === SERVER) ?? expect.fail('no span of a request');
    // The key lookup is left out, because keys are looked up only every few seconds.
    return { traceId, server, spans: spans.filter(({ name }) => name !== 'find-key-by-hash') };
  }

  return {
    child: service.child,
    collector,
    databaseUrl: service.databaseUrl,
    key,
    url: service.url,
    linesOf,
    /** Resolves to a trace's exported spans, except the key lookup. */
    spansOf: async (traceId: string) => (await spansOf(traceId)).spans,
    /** Sends a request in a new trace; returns the trace. */
    traceOf: async (path: string, sent: Sent = {}) => {
      const { traceId, traceparent } = newTrace();
      const told = await send(path, { ...sent, headers: { traceparent, ...sent.headers } });
      return { ...told, ...(await spansOf(traceId)) };
    },
    /** Sends a request; returns the trace that its log line names. */
    loggedTraceOf: async (path: string, sent: Sent = {}) => {
      const { status, requestId } = await send(path, sent);
      const lines = await linesOf(requestId);
      return { status, lines, ...(await spansOf(String(lines.at(-1)?.['traceId']))) };
    },
  };
}
