import { expect, test, vi } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway({ logSample: 0.25 });
const failing = await startGateway({ logSample: 0, maximumOpenRequests: 0 });
const log = captureLog();
const random = vi.spyOn(Math, 'random');
onFileFinished(async () => {
  random.mockRestore();
});

/** Whether a request is logged, of which the next one surely is. */
async function isLogged(requestId: string, share: number): Promise<boolean> {
  random.mockReturnValue(share);
  await gateway.request('/v1/pets', { headers: { 'X-Request-Id': requestId } });
  random.mockReturnValue(0);
  const after = `${requestId}-after`;
  await gateway.request('/v1/pets', { headers: { 'X-Request-Id': after } });
  await log.line((line) => line.includes(`"requestId":"${after}"`));
  return log.text().includes(`"requestId":"${requestId}"`);
}

test('a share of the requests that do not fail is logged', async () => {
  expect(await isLogged('within', 0.24)).toBe(true);
  expect(await isLogged('beyond', 0.25)).toBe(false);
});

test('a request that fails is logged in any case', async () => {
  random.mockReturnValue(0.99);
  const headers = { 'X-Request-Id': 'failed' };
  expect((await failing.request('/v1/pets', { headers })).status).toBe(503);
  const line = await log.line((text) => text.includes('"requestId":"failed"'));
  expect(line).toContain('"status":503');
});
