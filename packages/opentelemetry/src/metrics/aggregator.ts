import { exportedName, METRICS, type Aggregation } from '@store-gateway/ops';

/** Maximum number of keys with their own label. All other keys share `other`. */
const MAX_KEYS = 200;

/** Label values that aren't ids of API keys. */
const SHARED = new Set(['none', 'other']);

const API_KEY = /^\d+$/;

/**
 * Limits the number of series per metric: the first MAX_KEYS API keys have their own ids as labels, and all others share `other`.
 * Callers without an API key share `user`, because metrics are kept for a long time and should not contain people's names.
 */
export function createKeyBound(): (keyId: string) => string {
  const known = new Set<string>();
  return (keyId) => {
    if (SHARED.has(keyId) || known.has(keyId)) {
      return keyId;
    }
    if (!API_KEY.test(keyId)) {
      return 'user';
    }
    if (known.size >= MAX_KEYS) {
      return 'other';
    }
    known.add(keyId);
    return keyId;
  };
}

/** Matches the value of the label `key_id` in the text format, in which quotes and backslashes are escaped. */
const KEY_ID = /(?<=[{,]key_id=")(?:[^"\\]|\\.)+/;

/** A metric in Prometheus's text format. */
interface Family {
  /** The metric's HELP and TYPE lines. */
  readonly comments: string;
  readonly onlyGrows: boolean;
  /** The values by series: the text of the name and labels. */
  readonly samples: Map<string, number>;
}

/**
 * Combines the reports of several processes into one, in which counters and histograms are added up.
 *
 * @param prefix the prefix of the service's own metrics
 */
export function createAggregator(prefix: string) {
  const aggregations = new Map<string, Aggregation>(
    Object.entries(METRICS).map(([name, metric]) => [
      exportedName(name, prefix),
      metric.kind === 'gauge' ? metric.aggregation : 'sum',
    ]),
  );
  const ended = new Map<string, Family>();
  /** The last values of metrics that only grow. */
  const latest = new Map<string, number>();

  // Each process limits only its own keys, so all processes together may exceed the limit.
  const boundKey = createKeyBound();

  const add = (totals: Map<string, Family>, name: string, added: Family): void => {
    const total = totals.get(name) ?? { ...added, samples: new Map<string, number>() };
    totals.set(name, total);
    for (const [written, value] of added.samples) {
      const series = written.replace(KEY_ID, boundKey);
      const known = total.samples.get(series);
      const combine = COMBINE[aggregations.get(name) ?? 'sum'];
      total.samples.set(series, known === undefined ? value : combine(known, value));
    }
  };
  return {
    /** Keeps the counts of a process that has ended, so that no counter decreases. */
    retain: (metrics: string): void => {
      for (const [name, family] of parse(metrics)) {
        if (family.onlyGrows) add(ended, name, family);
      }
    },
    /** Combines the metrics of several processes as if they were those of one process. */
    aggregate: (all: readonly string[]): string => {
      const totals = new Map<string, Family>();
      for (const families of all.map(parse).concat(ended)) {
        families.forEach((family, name) => {
          add(totals, name, family);
        });
      }
      for (const { onlyGrows, samples } of totals.values()) {
        // The same numbers, added in a different order, may give a slightly smaller sum, which Prometheus would mistake for a
        // restart.
        samples.forEach((value, series) => {
          const highest = Math.max(value, latest.get(series) ?? value);
          if (onlyGrows) latest.set(series, highest);
          samples.set(series, onlyGrows ? highest : value);
        });
      }
      return Array.from(totals.values(), print).join('');
    },
  };
}

const COMBINE: Record<Aggregation, (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  maximum: Math.max,
  minimum: Math.min,
};

/** Parses our own serializer's output, which has no timestamps. */
function parse(metrics: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let comments = '';
  let samples = new Map<string, number>();
  for (const line of metrics.split('\n')) {
    if (line.startsWith('#')) {
      comments += `${line}\n`;
      const [, , name = '', kind] = line.split(' ');
      if (line.startsWith('# TYPE ')) {
        samples = new Map();
        families.set(name, { comments, onlyGrows: kind !== 'gauge', samples });
        comments = '';
      }
    } else if (line !== '') {
      const end = line.lastIndexOf(' ');
      samples.set(line.slice(0, end), Number(line.slice(end + 1).replace('Inf', 'Infinity')));
    }
  }
  return families;
}

function print({ comments, samples }: Family): string {
  const lines = Array.from(samples, ([series, value]) => {
    const text = String(value).replace('Infinity', 'Inf');
    return `${series} ${text === 'Inf' ? '+Inf' : text}\n`;
  });
  return comments + lines.join('');
}
