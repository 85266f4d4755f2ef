import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { measureAdmission } from './admission.ts';
import { tellBuild } from './build-info.ts';
import { measureDatabase } from './database.ts';
import { measureDeprecation } from './deprecation.ts';
import { measureFairness } from './fairness.ts';
import { listenForScrapes, type MetricsListener } from './listener.ts';
import { installRecorder } from '../recorder.ts';
import { measureRequests } from './requests.ts';
import { measureRuntime } from './runtime.ts';
import { measureSharing } from './sharing.ts';

/**
 * Measures from now on, and tells it in Prometheus's text format, until it is closed. To be called before
 * anything is made that is to be measured.
 *
 * @throws StartupFailure naming METRICS_HOST and METRICS_PORT if that address can't be had
 */
export async function startMetrics(host: string, port: number): Promise<MetricsListener> {
  // Its own server would take any method, and tell a failure as success.
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const listener = await listenForScrapes(
    async () => {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) {
        throw new AggregateError(errors);
      }
      return serializer.serialize(resourceMetrics);
    },
    host,
    port,
  );

  const provider = new MeterProvider({ readers: [reader] });
  const meter = provider.getMeter('animal-store-gateway');
  tellBuild(meter);
  const stopRuntime = measureRuntime(meter);
  installRecorder({
    ...measureRequests(meter),
    ...measureAdmission(meter),
    ...measureSharing(meter),
    ...measureDatabase(meter),
    ...measureDeprecation(meter),
    ...measureFairness(meter),
  });
  return {
    url: listener.url,
    [Symbol.asyncDispose]: async () => {
      installRecorder();
      stopRuntime();
      await listener[Symbol.asyncDispose]();
      await provider.shutdown();
    },
  };
}
