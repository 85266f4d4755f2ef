import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { installRecorder } from '../recorder.ts';
import { createRecorder } from './create-recorder.ts';
import { listenForScrapes, type MetricsListener } from './listener.ts';
import { recordRuntime } from './runtime.ts';

export interface MetricsOptions {
  readonly host: string;
  readonly port: number;
  /** Begins the names of the service's own metrics. */
  readonly prefix: string;
  /** Of the service. */
  readonly version: string;
}

/**
 * Records from now on, and serves it in Prometheus's text format, until it is disposed of. Must be called before anything is
 * created that is to be recorded.
 *
 * @throws StartupFailure naming METRICS_HOST and METRICS_PORT if that address can't be had
 */
export async function startMetrics(options: MetricsOptions): Promise<MetricsListener> {
  const { host, port, prefix, version } = options;
  // Its own server would take any method, and answer a failure with 200.
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const scrape = async () => {
    const { resourceMetrics, errors } = await reader.collect();
    if (errors.length > 0) {
      throw new AggregateError(errors);
    }
    return serializer.serialize(resourceMetrics);
  };
  const { url, ...listener } = await listenForScrapes(scrape, host, port);

  const provider = new MeterProvider({ readers: [reader] });
  const recorder = createRecorder(provider.getMeter('@gateway/telemetry'), prefix);
  recorder.observe('build_info', () => [[1, { version, nodejs_version: process.versions.node }]]);
  const stopRuntime = recordRuntime(recorder);
  installRecorder(recorder);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      installRecorder();
      stopRuntime();
      await listener[Symbol.asyncDispose]();
      await provider.shutdown();
    },
  };
}
