import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { metrics as globalMetrics } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { installRecorder } from '@store-gateway/ops';
import { createRecorder } from './create-recorder.ts';
import { listenForScrapes, type MetricsListener } from './listener.ts';
import { recordRuntime } from './runtime.ts';

/** What is recorded of the service itself. */
interface RecordingOptions {
  /** Begins the names of the service's own metrics. */
  readonly prefix: string;
  /** Of the service. */
  readonly version: string;
}

/** Where metrics are served. */
interface MetricsOptions extends RecordingOptions {
  readonly host: string;
  readonly port: number;
  /** Makes what to report from this process's own metrics; by default these alone. */
  readonly aggregate?: ((own: () => Promise<string>) => Promise<string>) | undefined;
}

/**
 * Records from now on, and serves it in Prometheus's text format, until it is disposed of. Must be called before anything
 * that should be recorded is created.
 *
 * @throws StartupFailure naming METRICS_HOST and METRICS_PORT if that address can't be had
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

/** Records from now on, until it is disposed of. */
export function startRecording({ prefix, version }: RecordingOptions) {
  // Its own server would take any method, and answer a failure with 200.
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const provider = new MeterProvider({ readers: [reader] });
  const recorder = createRecorder(provider.getMeter('@store-gateway/opentelemetry'), prefix);
  recorder.observe('build_info', () => [[1, { version, nodejs_version: process.versions.node }]]);
  const runtime = recordRuntime(recorder);
  installRecorder(recorder);
  // For instruments of the application's own, which it makes from now on.
  globalMetrics.setGlobalMeterProvider(provider);
  return {
    /** All metrics, in Prometheus's text format. Rejects if one can't be read. */
    scrape: async () => {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) {
        throw new AggregateError(errors);
      }
      return serializer.serialize(resourceMetrics);
    },
    /** Records no more. */
    [Symbol.asyncDispose]: async () => {
      installRecorder();
      globalMetrics.disable();
      runtime[Symbol.dispose]();
      await provider.shutdown();
    },
  };
}
