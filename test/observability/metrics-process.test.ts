import { expect, test } from 'vitest';
import { startMeasuredGateway } from '../support/measured-gateway.ts';

const { scrape } = await startMeasuredGateway();

test('build, start and memory of the process are metrics', async () => {
  const series = await scrape();
  const valueOf = (name: string) => series.find((one) => one.name === name)?.value ?? NaN;
  expect(series.find(({ name }) => name === 'animal_store_build_info')).toEqual({
    name: 'animal_store_build_info',
    labels: { version: '1.0.0', nodejs_version: process.versions.node },
    value: 1,
  });
  expect(valueOf('process_start_time_seconds')).toBeCloseTo(performance.timeOrigin / 1000, 0);
  const used = valueOf('v8js_memory_heap_used_bytes');
  expect(used).toBeGreaterThan(1_000_000);
  expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(used);
  expect(valueOf('v8js_memory_heap_limit_bytes')).toBeGreaterThan(used);
});

test('a delay of the event loop is reported, also one that begins right after a scrape', async () => {
  const told: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    await scrape();
    const began = performance.now();
    while (performance.now() - began < 60) {
      // Nothing else goes on in this process.
    }
    const series = await scrape();
    told.push(series.find(({ name }) => name === 'nodejs_eventloop_delay_max_seconds')?.value ?? 0);
  }
  expect(told.filter((seconds) => seconds < 0.04)).toEqual([]);
});
