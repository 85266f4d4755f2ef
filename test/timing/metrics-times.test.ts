import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { startMeasuredService } from '../support/measured.ts';

const databaseUrl = await newDatabase();
const { child, send, scrape, moved } = await startMeasuredService({
  DATABASE_URL: databaseUrl,
  NODE_OPTIONS: '--import ./test/support/collect-for-a-second.ts',
});

let collections = 0;

/** Makes the service collect garbage for a second. @returns the seconds until it responds again */
async function collectForASecond(): Promise<number> {
  const started = performance.now();
  collections += 1;
  child.kill('SIGUSR2');
  await child.line('stderr', (line) => line.startsWith(`collected ${collections}: `));
  await send('/v1/pets');
  return (performance.now() - started) / 1000;
}

/** Returns the event loop delay in seconds: p50, p99 and the maximum. */
async function delays(): Promise<number[]> {
  const series = await scrape();
  return ['p50', 'p99', 'max'].map(
    (name) =>
      series.find((one) => one.name === `nodejs_eventloop_delay_${name}_seconds`)?.value ?? NaN,
  );
}

test('the event loop delay is in seconds, and covers the time since the last scrape', async () => {
  await using stalls = await measureStalls();
  await delays();
  const elapsed = await collectForASecond();
  const [p50 = NaN, p99 = NaN, max = NaN] = await delays();
  expect(max).toBeGreaterThanOrEqual(0.9);
  expect(max).toBeLessThanOrEqual(elapsed);
  expect(p99).toBeLessThanOrEqual(max);
  expect(p50).toBeLessThanOrEqual(p99);
  expect(p50).toBeGreaterThanOrEqual(0);
  const scraped = performance.now();
  const [, , maxSince] = await delays();
  expect(maxSince).toBeLessThan(0.9 + (await stalls.longestSince(scraped)) / 1000);
});

test('the CPU, event loop and garbage collection times are in seconds', async () => {
  const started = performance.now();
  const seconds = await moved(/_seconds_(?:total|sum)\{/, collectForASecond);
  const elapsed = (performance.now() - started) / 1000;
  const told = (series: string) => seconds[series] ?? NaN;
  const collecting = told('v8js_gc_duration_seconds_sum{v8js_gc_type=major}');
  expect(collecting).toBeGreaterThan(0.5);
  expect(collecting).toBeLessThanOrEqual(elapsed);
  const loop = (state: string) =>
    told(`nodejs_eventloop_time_seconds_total{nodejs_eventloop_state=${state}}`);
  expect(loop('active')).toBeGreaterThanOrEqual(0.9);
  expect(loop('active') + loop('idle')).toBeLessThanOrEqual(elapsed);
  const cpu = told('process_cpu_seconds_total{}');
  expect(cpu).toBeGreaterThan(0.1);
  expect(cpu).toBeLessThanOrEqual(elapsed * availableParallelism());
});
