import { expect, test } from 'vitest';
import { createAggregator } from '../src/metrics/aggregator.ts';

/** The metrics of a process: a counter, a histogram and gauges. */
const told = (count: number, late: number, ready: number, kind = 'a b') => `\
# HELP shop_authentications_total Requests.
# TYPE shop_authentications_total counter
shop_authentications_total{outcome="${kind}"} ${count}

# HELP v8js_gc_duration_seconds Time.
# TYPE v8js_gc_duration_seconds histogram
v8js_gc_duration_seconds_count ${count}
v8js_gc_duration_seconds_sum ${count / 4}
v8js_gc_duration_seconds_bucket{le="0.1"} ${count - 1}
v8js_gc_duration_seconds_bucket{le="+Inf"} ${count}
# TYPE http_server_open_connections gauge
http_server_open_connections ${count}
# TYPE nodejs_eventloop_delay_max_seconds gauge
nodejs_eventloop_delay_max_seconds ${late}
# TYPE shop_ready gauge
shop_ready ${ready}
`;

const lines = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'));

test('counters, histograms and additive gauges are summed over all processes', () => {
  const { aggregate } = createAggregator('shop_');
  const text = aggregate([told(3, 0.5, 1), told(4, 0.25, 0)]);
  expect(text).toBe(told(7, 0.5, 0).replaceAll('\n\n', '\n').replace('"0.1"} 6', '"0.1"} 5'));
  expect(aggregate([])).toBe('');
});

test('counters still include a process that has exited, but gauges do not', () => {
  const { aggregate, retain } = createAggregator('shop_');
  retain(told(3, 9, 0));
  retain(told(2, 9, 0, 'c'));
  expect(lines(aggregate([told(4, 0.25, 1)]))).toEqual([
    'shop_authentications_total{outcome="a b"} 7',
    'shop_authentications_total{outcome="c"} 2',
    'v8js_gc_duration_seconds_count 9',
    'v8js_gc_duration_seconds_sum 2.25',
    'v8js_gc_duration_seconds_bucket{le="0.1"} 6',
    'v8js_gc_duration_seconds_bucket{le="+Inf"} 9',
    'http_server_open_connections 4',
    'nodejs_eventloop_delay_max_seconds 0.25',
    'shop_ready 1',
    '',
  ]);
});

test('infinite and NaN metric values are preserved', () => {
  const { aggregate } = createAggregator('');
  const text = '# TYPE a gauge\na{b="1"} +Inf\na{b="2"} -Inf\na{b="3"} NaN\na{b="4"} 1e-7\n';
  expect(aggregate([text])).toBe(text);
});

const seconds = (value: number) => `# TYPE cpu_total counter\ncpu_total ${value}\n`;

test('a rounding error never decreases a counter', () => {
  const { aggregate, retain } = createAggregator('');
  const [first, ...others] = [0.1, 0.2, 0.3].map(seconds);
  const before = aggregate([first ?? '', ...others]);
  expect(before).toBe(seconds(0.1 + 0.2 + 0.3));
  retain(first ?? '');
  expect(0.2 + 0.3 + 0.1).toBeLessThan(0.1 + 0.2 + 0.3);
  expect(aggregate(others)).toBe(before);
});

const keyed = (keyIds: readonly (number | string)[]) =>
  `# TYPE calls_total counter\n${keyIds.map((id) => `calls_total{key_id="${id}"} 1\n`).join('')}`;

test('at most 200 API keys across all processes have a separate label, and they keep it', () => {
  const { aggregate, retain } = createAggregator('');
  for (const first of [0, 150, 300]) {
    retain(keyed(Array.from({ length: 150 }, (_, key) => first + key)));
  }
  const series = lines(aggregate([keyed([0, 'none', 'other', 449])])).slice(0, -1);
  expect(series).toHaveLength(202);
  expect(series).toContain('calls_total{key_id="0"} 2');
  expect(series).toContain('calls_total{key_id="none"} 1');
  expect(series).toContain('calls_total{key_id="other"} 252');
});

test('callers without an API key share one label', () => {
  const { aggregate } = createAggregator('');
  const written = ['user', '-5', 'sub:7', String.raw`sub:a\"b`, String.raw`sub:\\`];
  expect(lines(aggregate([keyed(written)]))).toEqual(['calls_total{key_id="user"} 5', '']);
});
