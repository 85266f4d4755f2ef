import type { Attributes, Histogram, Meter } from '@opentelemetry/api';

/** Seconds, from half a millisecond to what nobody should wait for. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Grows only. */
export interface Count {
  value: number;
}

type Observe = (value: number, labels?: Attributes) => void;

export interface Instruments {
  /** Begins the names of metrics that no convention of OpenTelemetry or Prometheus names. */
  readonly prefix: string;
  /** @param read is called at each scrape */
  readonly gauge: (
    name: string,
    description: string,
    read: (observe: Observe) => void | Promise<void>,
  ) => void;
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
      meter
        .createObservableGauge(name, { description })
        .addCallback((result) => read(result.observe.bind(result)));
    },
    counter: (name, description, labelNames) => {
      // Plain numbers until a scrape: the SDK's own counters serialise the labels at each addition, which takes a
      // hundred times as long.
      const counts = new Map<string, Count & { readonly labels: Attributes }>();
      meter.createObservableCounter(name, { description }).addCallback((result) => {
        for (const { value, labels } of counts.values()) {
          result.observe(value, labels);
        }
      });
      return (labels) => {
        const key = labelNames.map((label) => labels[label]).join('\n');
        const count = counts.get(key) ?? { value: 0, labels: { ...labels } };
        counts.set(key, count);
        return count;
      };
    },
    histogram: (name, description, buckets = DURATION_BUCKETS) =>
      meter.createHistogram(name, {
        description,
        advice: { explicitBucketBoundaries: buckets },
      }),
  };
}
