import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startGateway();
const { headers } = await nodeRequest(gateway, '/v1/pets', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{"name":"Rex","categoryId":1}',
});
const id = headers.get('Location') ?? '';

/** Of each response for itself. */
const OWN = new Set(['date', 'x-request-id', 'ratelimit']);

const answerTo = async (target: string, request: object) => {
  const answer = await nodeRequest(gateway, target, request);
  const shared = [...answer.headers].filter(([name]) => !OWN.has(name));
  return { status: answer.status, headers: shared, text: answer.text };
};

test.each([
  ['GET', '/v1/pets?limit=1', {}],
  ['GET', `/v1/${id}`, {}],
  ['GET', `/v1/${id}`, { Accept: 'application/json;q=0.5, text/html' }],
  ['GET', `/v1/${id}`, { Accept: 'text/html' }],
  ['GET', `/v1/${id}`, { Authorization: '' }],
  ['GET', '/v1/pets?limit=0', {}],
  ['GET', '/v1/pets/0', {}],
  ['POST', '/v1/pets', { 'Content-Type': 'text/plain', 'Content-Length': 1 }],
  ['POST', '/graphql', { 'Content-Type': 'text/plain', 'Content-Length': 1 }],
  ['POST', '/graphql', { Authorization: '' }],
])('%s %s %j is answered alike if the target is absolute', async (method, path, sent) => {
  const request = { method, headers: sent, ...(method === 'POST' && { body: '?' }) };
  const absolute = `${gateway.url}${path}`;
  expect(await answerTo(path, request)).toEqual(await answerTo(absolute, request));
});
