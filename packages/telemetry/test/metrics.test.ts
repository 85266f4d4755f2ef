import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { startMetrics } from '../src/metrics/start.ts';
import { recorder } from '../src/recorder.ts';

const OPTIONS = { host: '127.0.0.1', port: 0, prefix: 'shop_', version: '1.2.3' };

/** Records while metrics are on, and resolves to the lines of a scrape after that. */
async function scrapeAfter(record: () => void): Promise<string[]> {
  await using metrics = await startMetrics(OPTIONS);
  record();
  return (await (await fetch(metrics.url)).text()).split('\n');
}

test('what is recorded is exported, until the metrics are disposed of', async () => {
  const off = recorder;
  const lines = await scrapeAfter(() => {
    recorder.requestStarted();
    recorder.databaseCalled('Thing', 'findMany', 'statement');
    recorder.databaseCalled('Thing', 'findMany', 'statement');
    recorder.databaseCalled('Thing', 'findMany', 'engine');
    recorder.limitSet('requests', 10);
    recorder.observePool('reads', {
      totalCount: 3,
      idleCount: 1,
      waitingCount: 2,
      options: { max: 4 },
    });
  });
  expect(lines).toEqual(
    expect.arrayContaining([
      'http_server_active_requests 1',
      'http_server_active_requests_max 10',
      'shop_database_calls_total{model="Thing",operation="findMany",answered_by="statement"} 2',
      'shop_database_calls_total{model="Thing",operation="findMany",answered_by="engine"} 1',
      'db_client_connection_count{db_client_connection_pool_name="reads",db_client_connection_state="used"} 2',
      'db_client_connection_pending_requests{db_client_connection_pool_name="reads"} 2',
      expect.stringMatching(/^shop_build_info\{version="1\.2\.3",nodejs_version="[\d.]+"\} 1$/),
    ]),
  );
  expect(recorder).toBe(off);
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
    for (let keyId = 1n; keyId <= 203n; keyId += 1n) {
      recorder.deprecatedFieldCalled(keyId, 'old');
    }
    recorder.requestWaited('1', 2);
    recorder.requestWaited('203', 3);
  });
  const calls = lines.filter((line) => line.startsWith('shop_deprecated_calls_total{'));
  expect(calls).toHaveLength(201);
  expect(calls).toContain('shop_deprecated_calls_total{key_id="other",field="old"} 3');
  expect(lines).toContain('shop_request_wait_seconds_total{key_id="1"} 2');
  expect(lines).toContain('shop_request_wait_seconds_total{key_id="other"} 3');
});

test('while metrics are off, everything may be recorded and nothing happens', () => {
  recorder.requestStarted();
  recorder.requestEnded({
    surface: 'rest',
    operation: undefined,
    status: 200,
    authentication: 'ok',
    seconds: 1,
  });
  recorder.coalescingAt('answers')(true);
  recorder.observeConnections(createServer());
  const queue = vi.fn<() => []>(() => []);
  recorder.observeQueue(queue);
  expect(queue).not.toHaveBeenCalled();
});
