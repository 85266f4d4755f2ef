import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { startStoreLoad } from '../cluster/support/store-load.ts';
import { workersOf, startPatientService, firstKey } from '../support/service.ts';
import { askAlone } from '../support/node-request.ts';

const start = (RATE_LIMIT: string) => startPatientService({ WORKERS: '3', RATE_LIMIT });

test('a read by any worker sees every write that any worker acknowledged before', async () => {
  await using service = await start('off');
  const load = startStoreLoad({ urls: [service.url], key: await firstKey(service) }, 0, {});
  await load.acknowledged(10);
  await load.end();
  const { faults, checks } = load.history.verdict();
  expect(faults).toEqual([]);
  expect(checks).toBeGreaterThan(500);
  expect(new Set(await workersOf(service, 3)).size).toBe(3);
});

test('a rate limit that is exhausted in one worker is exhausted in all', async () => {
  const quota = 60;
  // The quota is available as one burst and takes 16 hours to refill.
  await using service = await start(`${quota}/60000s`);
  const headers = { Authorization: `Bearer ${await firstKey(service)}` };
  let accepted = 0;
  const status = async (agent?: Agent) => {
    const { statusCode } = await askAlone(`${service.url}/v1/pets`, headers, agent);
    accepted += statusCode === 200 ? 1 : 0;
    return statusCode;
  };
  // One connection always reaches the same worker.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while ((await status(agent)) === 200);
  agent.destroy();
  expect(accepted).toBe(quota);
  // Each worker learns the others' counts within 500 ms.
  const three = async () => [await status(), await status(), await status()];
  await expect.poll(three, { interval: 300 }).toEqual([429, 429, 429]);
  // Without shared counts, the workers would accept three quotas.
  expect(accepted).toBeLessThan(2 * quota);
});
