import type { Attributes, Histogram, Meter, ObservableCallback } from '@opentelemetry/api';

/** Seconds, from half a millisecond to what nobody should wait for. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Grows only. */
export interface Count {
  value: number;
}

type Values = number | readonly (readonly [value: number, labels: Attributes])[];

/** A metric that is read at each scrape. */
type Observe = (name: string, description: string, read: () => Values | Promise<Values>) => void;

export interface Instruments {
  /** Begins the names of metrics that no convention of OpenTelemetry or Prometheus names. */
  readonly prefix: string;
  readonly gauge: Observe;
  readonly observedCounter: Observe;
  /**
   * @returns the count of these values of the labels, exported as 0 from the first call on: to Prometheus, a series
   *   that begins with its first event has not increased
   */
  readonly counter: <const Name extends string>(
    name: string,
    description: string,
    labelNames: readonly Name[],
  ) => (labels: Readonly<Record<Name, string>>) => Count;
  readonly histogram: (name: string, description: string, buckets?: number[]) => Histogram;
}

export function createInstruments(meter: Meter, prefix: string): Instruments {
  return {
    prefix,
    gauge: (name, description, read) => {
      meter.createObservableGauge(name, { description }).addCallback(observed(read));
    },
    observedCounter: (name, description, read) => {
      meter.createObservableCounter(name, { description }).addCallback(observed(read));
    },
    counter: (name, description, labelNames) => {
      // Plain numbers until a scrape: the SDK's own counters serialise the labels at each addition, which takes a
      // hundred times as long.
      const counts = new Map<string, Count & { readonly labels: Attributes }>();
      const read = () =>
        Array.from(counts.values(), ({ value, labels }) => [value, labels] as const);
      meter.createObservableCounter(name, { description }).addCallback(observed(read));
      return (labels) => {
        const key = labelNames.map((label) => labels[label]).join('\n');
        const count = counts.get(key) ?? { value: 0, labels: { ...labels } };
        counts.set(key, count);
        return count;
      };
    },
    histogram: (name, description, buckets = DURATION_BUCKETS) =>
      meter.createHistogram(name, { description, advice: { explicitBucketBoundaries: buckets } }),
  };
}

function observed(read: () => Values | Promise<Values>): ObservableCallback {
  return async (result) => {
    const values = await read();
    for (const [value, labels] of typeof values === 'number' ? [[values, {}] as const] : values) {
      result.observe(value, labels);
    }
  };
}
