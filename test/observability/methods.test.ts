import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { startChangedAnimals } from '../support/changed-animals.ts';
import { createdPath } from '../support/created-path.ts';

const { request, post } = await startChangedAnimals();
const log = captureLog();

test.each([
  ['PATCH', 200],
  ['DELETE', 204],
])('a %s is a line of the log, with its status', async (method, status) => {
  const path = createdPath(await post('/v1/pets', { name: 'Rex', categoryId: 1 }), '/v1/pets');
  const id = `request-${method}`;
  const headers = { 'X-Request-Id': id, 'Content-Type': 'application/merge-patch+json' };
  await request(path, { method, headers, ...(method === 'PATCH' && { body: '{}' }) });
  const line = await log.line((text) => text.includes(id) && text.includes('"durationMs"'));
  expect(JSON.parse(line)).toMatchObject({ requestId: id, method, path, status });
});
