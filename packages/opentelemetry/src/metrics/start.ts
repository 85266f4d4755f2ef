import { metrics as globalMetrics, type Histogram, type Meter } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  droppedLines,
  exportedName,
  installRecorder,
  isJsonObject,
  type Labels,
  listenFailure,
  log,
  METRICS,
  type Recorder,
  type Values,
} from '@store-gateway/ops';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { constants, createHistogram, performance, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { createKeyBound } from './aggregator.ts';

/** Describes the service whose metrics are recorded. */
interface RecordingOptions {
  /** The prefix of the service's own metrics. */
  readonly prefix: string;
  /** The service's version. */
  readonly version: string;
}

/** Describes the service, and where its metrics are served. */
interface MetricsOptions extends RecordingOptions {
  readonly host: string;
  readonly port: number;
  /** Creates the report from this process's own metrics. By default, the report contains only these. */
  readonly aggregate?: ((own: () => Promise<string>) => Promise<string>) | undefined;
}

/**
 * Records metrics and serves them in Prometheus's text format, until the result is disposed of. Call this before creating
 * anything that should be recorded.
 *
 * @throws StartupFailure that names METRICS_HOST or METRICS_PORT if it can't listen there
 */
export async function startMetrics(options: MetricsOptions): Promise<MetricsListener> {
  const { host, port, aggregate } = options;
  await using started = new AsyncDisposableStack();
  const { scrape } = started.use(startRecording(options));
  const { url } = started.use(
    await listenForScrapes(aggregate === undefined ? scrape : () => aggregate(scrape), host, port),
  );
  const running = started.move();
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Records metrics until the result is disposed of. */
export function startRecording({ prefix, version }: RecordingOptions) {
  // The exporter's own server isn't used, because it would accept any method, and respond to a failed scrape with 200.
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const provider = new MeterProvider({ readers: [reader] });
  const recorder = createRecorder(provider.getMeter('@store-gateway/opentelemetry'), prefix);
  recorder.observe('build_info', () => [[1, { version, nodejs_version: process.versions.node }]]);
  const runtime = recordRuntime(recorder);
  installRecorder(recorder);
  // For the application's own instruments, which it creates after this.
  globalMetrics.setGlobalMeterProvider(provider);
  return {
    /** Returns all metrics in Prometheus's text format. Rejects if one can't be read. */
    scrape: async () => {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) {
        throw new AggregateError(errors);
      }
      return serializer.serialize(resourceMetrics);
    },
    /** Stops recording. */
    [Symbol.asyncDispose]: async () => {
      installRecorder();
      globalMetrics.disable();
      runtime[Symbol.dispose]();
      await provider.shutdown();
    },
  };
}

/** Values by their label values. */
type Series = Map<string, [value: number, labels: Labels]>;

/** Creates a recorder that uses OpenTelemetry's instruments. */
function createRecorder(meter: Meter, prefix: string): Recorder {
  const histograms = new Map<string, Histogram>();
  // Plain numbers until a scrape, because the SDK's own counters serialize the labels at each addition, which takes a hundred
  // times as long.
  const counters = new Map<string, Series>();
  const readsOf = new Map<string, (() => Values)[]>();
  const boundKeys = createLabelBound();

  for (const [name, metric] of Object.entries(METRICS)) {
    const exported = exportedName(name, prefix);
    const { description } = metric;
    if (metric.kind === 'histogram') {
      const advice = { explicitBucketBoundaries: [...metric.buckets] };
      histograms.set(name, meter.createHistogram(exported, { description, advice }));
      continue;
    }
    const reads: (() => Values)[] = [];
    readsOf.set(name, reads);
    if (metric.kind === 'counter') {
      const series: Series = new Map();
      metric.known.forEach((labels) => {
        add(series, 0, labels);
      });
      counters.set(name, series);
      reads.push(() => series.values());
    }
    const instrument =
      metric.kind === 'gauge'
        ? meter.createObservableGauge(exported, { description })
        : meter.createObservableCounter(exported, { description });
    instrument.addCallback((result) => {
      const series: Series = new Map();
      for (const values of reads.map((read) => read())) {
        for (const [value, labels] of typeof values === 'number'
          ? [[values, {}] as const]
          : values) {
          add(series, value, boundKeys(labels));
        }
      }
      series.forEach(([value, labels]) => {
        result.observe(value, labels);
      });
    });
  }
  return {
    add: (name, value, labels = {}) => {
      add(counters.get(name), value, boundKeys(labels));
    },
    record: (name, value, labels) => {
      histograms.get(name)?.record(value, labels);
    },
    observe: (name, read) => {
      readsOf.get(name)?.push(read);
    },
  };
}

function add(series: Series | undefined, value: number, labels: Labels): void {
  const key = Object.values(labels).join('\n');
  const known = series?.get(key);
  if (known === undefined) {
    series?.set(key, [value, labels]);
  } else {
    known[0] += value;
  }
}

function createLabelBound(): (labels: Labels) => Labels {
  const boundKey = createKeyBound();
  return (labels) => {
    const { key_id: keyId } = labels;
    if (keyId === undefined) {
      return labels;
    }
    const bound = boundKey(String(keyId));
    return bound === keyId ? labels : { ...labels, key_id: bound };
  };
}

/** Milliseconds between two samples of the event loop delay. */
const RESOLUTION_MS = 20;

const GC_TYPES = new Map<unknown, string>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** Records metrics of the process itself, until the result is disposed of. */
function recordRuntime(recorder: Recorder): Disposable {
  const { observe } = recorder;
  observe('log_lines_dropped_total', droppedLines);
  observe('process_start_time_seconds', () => performance.timeOrigin / 1000);
  observe('process_resident_memory_bytes', () => process.memoryUsage.rss());
  observe('v8js_memory_heap_used_bytes', () => getHeapStatistics().used_heap_size);
  observe('v8js_memory_heap_limit_bytes', () => getHeapStatistics().heap_size_limit);
  observe('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  observe('nodejs_eventloop_time_seconds_total', () => {
    const { active, idle } = performance.eventLoopUtilization();
    return [
      [active / 1000, { nodejs_eventloop_state: 'active' }],
      [idle / 1000, { nodejs_eventloop_state: 'idle' }],
    ];
  });
  const sampling = observeEventLoopDelay(recorder);
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const detail: unknown = 'detail' in entry ? entry.detail : undefined;
      const kind = isJsonObject(detail) ? detail['kind'] : undefined;
      recorder.record('v8js_gc_duration_seconds', entry.duration / 1000, {
        v8js_gc_type: GC_TYPES.get(kind) ?? 'other',
      });
    }
  });
  collections.observe({ entryTypes: ['gc'] });
  return {
    [Symbol.dispose]: () => {
      clearInterval(sampling);
      collections.disconnect();
    },
  };
}

/**
 * Registers gauges for the event loop delay since the last scrape.
 *
 * @returns the timer that takes the samples
 */
function observeEventLoopDelay({ observe }: Recorder): NodeJS.Timeout {
  // Node's own monitorEventLoopDelay isn't used: at a reset, it forgets the time of its last sample, so it would miss a delay
  // that begins before the next one.
  const intervals = createHistogram();
  let sampledAt = process.hrtime.bigint();
  const delay = (nanoseconds: () => number) => () => {
    // Reset later, because one scrape reads all three gauges.
    setImmediate(() => {
      intervals.reset();
    });
    return intervals.count === 0 ? 0 : Math.max(0, nanoseconds() / 1e9 - RESOLUTION_MS / 1000);
  };
  observe(
    'nodejs_eventloop_delay_p50_seconds',
    delay(() => intervals.percentile(50)),
  );
  observe(
    'nodejs_eventloop_delay_p99_seconds',
    delay(() => intervals.percentile(99)),
  );
  observe(
    'nodejs_eventloop_delay_max_seconds',
    delay(() => intervals.max),
  );
  return setInterval(() => {
    const now = process.hrtime.bigint();
    intervals.record(now - sampledAt);
    sampledAt = now;
  }, RESOLUTION_MS).unref();
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const PATH = '/metrics';
const METHODS = ['GET', 'HEAD'];

/** Maximum number of connections: enough for a few Prometheus servers and people. */
const MAX_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 5000;

/** The server that Prometheus scrapes, until it is disposed of. */
interface MetricsListener extends AsyncDisposable {
  /** For example http://127.0.0.1:9464/metrics */
  readonly url: string;
}

/**
 * Serves the result of `scrape` at /metrics.
 *
 * @throws StartupFailure that names METRICS_HOST or METRICS_PORT if it can't listen there
 */
async function listenForScrapes(
  scrape: () => Promise<string>,
  host: string,
  port: number,
): Promise<MetricsListener> {
  const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const server = createServer(timeouts, (request, response) => {
    void respond(request, response, scrape);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, { host, port }, 'METRICS_');
  }
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound ?? port}${PATH}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  scrape: () => Promise<string>,
): Promise<void> {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  const send = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
    const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
    // Node omits the body of a response to HEAD.
    response.writeHead(status, headers).end(body);
  };
  if (url.split('?', 1)[0] !== PATH) {
    send(404, `The metrics are at ${PATH}\n`);
  } else if (!METHODS.includes(method)) {
    response.setHeader('Allow', METHODS.join(', '));
    send(405, `The metrics only support ${METHODS.join(' and ')}\n`);
  } else {
    try {
      send(200, await scrape(), CONTENT_TYPE);
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be collected');
      send(500, 'The metrics could not be collected; see the log for the reason\n');
    }
  }
}
