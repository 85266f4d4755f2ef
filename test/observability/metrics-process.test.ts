import { expect, test } from 'vitest';
import { startMeasuredGateway } from '../support/measured-gateway.ts';

const { scrape } = await startMeasuredGateway();

test('the process is told: its build, its start and its memory', async () => {
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
