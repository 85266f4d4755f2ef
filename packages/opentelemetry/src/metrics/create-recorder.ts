import type { Histogram, Meter } from '@opentelemetry/api';
import { type Recorder, type Values, exportedName, METRICS, type Labels } from '@store-gateway/ops';
import { createKeyBound } from './aggregator.ts';

/** Values by those of their labels. */
type Series = Map<string, [value: number, labels: Labels]>;

/** Records by OpenTelemetry's instruments. */
export function createRecorder(meter: Meter, prefix: string): Recorder {
  const histograms = new Map<string, Histogram>();
  // Plain numbers until a scrape: the SDK's own counters serialise the labels at each addition, which takes a hundred
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
