import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isJsonObject } from '@store-gateway/ops';

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

export interface Collector extends AsyncDisposable {
  /** What makes a service export to it, soon, and in JSON. */
  readonly env: NodeJS.ProcessEnv;
  /** All that it was sent: headers and bodies. */
  readonly received: () => string;
  /** Of the service that exports to it; once it has. */
  readonly resource: () => Record<string, unknown>;
  /** The spans of all traces so far. */
  readonly spans: () => readonly Span[];
  /** The spans of a trace, once that of its request is there: it is the last to end. */
  readonly trace: (traceId: string) => Promise<readonly Span[]>;
}

export const SERVER = 2;

/** Takes what is exported over HTTP, and keeps it. */
export async function startCollector(): Promise<Collector> {
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const spans = () =>
    exports.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  return {
    env: environmentFor(`http://127.0.0.1:${port}`),
    received: () => received,
    resource: () => attributesOf(exports[0]?.resourceSpans[0]?.resource ?? { attributes: [] }),
    spans,
    trace: async (traceId) => {
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
      server.close();
      await once(server, 'close');
    },
  };
}

/** What makes a service export its spans to an address, without waiting for more of them. */
export function environmentFor(url: string): NodeJS.ProcessEnv {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
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

/** Spans as lines, each indented under its parent, in the order in which they were started. */
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
