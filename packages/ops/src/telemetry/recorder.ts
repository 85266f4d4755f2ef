import type { CounterName, GaugeName, HistogramName, Labels } from './metrics.ts';

/** A metric's current values: one, or one for each set of labels. */
export type Values = number | Iterable<readonly [value: number, labels: Labels]>;

/** Where the program records its metrics (metrics.ts). */
export interface Recorder {
  /** Adds to a counter. */
  readonly add: (counter: CounterName, value: number, labels?: Labels) => void;
  /** Adds a value to a histogram, in its unit (metrics.ts). */
  readonly record: (histogram: HistogramName, value: number, labels?: Labels) => void;
  /** Has a gauge read at each scrape. Values with the same labels are added up. */
  readonly observe: (gauge: GaugeName, read: () => Values) => void;
}

const NO_RECORDER: Recorder = {
  add: () => undefined,
  record: () => undefined,
  observe: () => undefined,
};

/** The process's recorder, a no-op while metrics are off. */
export let recorder = NO_RECORDER;

/** Must be called before anything that should be observed is created. */
export function installRecorder(installed: Recorder = NO_RECORDER): void {
  recorder = installed;
}
