import { metrics as globalMetrics } from '@opentelemetry/api';
import { expect, test, vi } from 'vitest';
import { startMetrics } from '../src/metrics/start.ts';
import { recorder } from '@store-gateway/ops';

const OPTIONS = { host: '127.0.0.1', port: 0, prefix: 'shop_', version: '1.2.3' };

/** Records while metrics are on, and resolves to the lines of a scrape after that. */
async function scrapeAfter(record: () => void): Promise<string[]> {
  await using metrics = await startMetrics(OPTIONS);
  record();
  return (await (await fetch(metrics.url)).text()).split('\n');
}

test('what is recorded is exported, until the metrics are disposed of', async () => {
  let on: typeof recorder | undefined;
  const lines = await scrapeAfter(() => {
    on = recorder;
    recorder.add('database_calls_total', 1, { model: 'Thing', answered_by: 'statement' });
    recorder.add('database_calls_total', 2, { model: 'Thing', answered_by: 'statement' });
    recorder.add('database_calls_total', 1, { model: 'Thing', answered_by: 'engine' });
    recorder.record('statement_calls', 3);
    recorder.observe('http_server_active_requests_max', () => 10);
    recorder.observe('waiting_requests', () => [
      [1, { key_id: 'none' }],
      [2, { key_id: '7' }],
    ]);
    recorder.observe('waiting_requests', () => [[4, { key_id: '7' }]]);
  });
  expect(lines).toEqual(
    expect.arrayContaining([
      'shop_database_calls_total{model="Thing",answered_by="statement"} 3',
      'shop_database_calls_total{model="Thing",answered_by="engine"} 1',
      'shop_statement_calls_bucket{le="2"} 0',
      'shop_statement_calls_bucket{le="4"} 1',
      '# TYPE http_server_active_requests_max gauge',
      'http_server_active_requests_max 10',
      'shop_waiting_requests{key_id="none"} 1',
      'shop_waiting_requests{key_id="7"} 6',
      expect.stringMatching(/^shop_build_info\{version="1\.2\.3",nodejs_version="[\d.]+"\} 1$/),
    ]),
  );
  expect(recorder).not.toBe(on);
});

test('a counter begins at 0 where its labels are known', async () => {
  expect(await scrapeAfter(() => undefined)).toEqual(
    expect.arrayContaining([
      'shop_authentications_total{outcome="unknown"} 0',
      'shop_unread_requests_total{http_response_status_code="431"} 0',
      'shop_shared_calls_total{place="statements",role="led"} 0',
      'shop_request_wait_seconds_total{key_id="none"} 0',
    ]),
  );
});

test('keys beyond the first 200 share a label', async () => {
  const lines = await scrapeAfter(() => {
    for (let keyId = 1; keyId <= 203; keyId += 1) {
      recorder.add('deprecated_calls_total', 1, { key_id: String(keyId), field: 'old' });
    }
    recorder.add('request_wait_seconds_total', 2, { key_id: '1' });
    recorder.add('request_wait_seconds_total', 3, { key_id: '203' });
    recorder.add('request_wait_seconds_total', 4, { key_id: 'none' });
  });
  const calls = lines.filter((line) => line.startsWith('shop_deprecated_calls_total{'));
  expect(calls).toHaveLength(201);
  expect(calls).toContain('shop_deprecated_calls_total{key_id="other",field="old"} 3');
  expect(lines).toContain('shop_request_wait_seconds_total{key_id="1"} 2');
  expect(lines).toContain('shop_request_wait_seconds_total{key_id="other"} 3');
  expect(lines).toContain('shop_request_wait_seconds_total{key_id="none"} 4');
});

test('while metrics are off, everything may be recorded and nothing happens', () => {
  recorder.add('authentications_total', 1, { outcome: 'ok' });
  recorder.record('statement_calls', 1);
  const read = vi.fn<() => number>(() => 1);
  recorder.observe('http_server_active_requests', read);
  expect(read).not.toHaveBeenCalled();
});

test('an application’s own instruments are scraped with the others', async () => {
  await using started = await startMetrics(OPTIONS);
  const loans = globalMetrics.getMeter('library').createCounter('library_loans_total');
  loans.add(2, { genre: 'poem' });
  expect(await (await fetch(started.url)).text()).toContain('library_loans_total{genre="poem"} 2');
});
