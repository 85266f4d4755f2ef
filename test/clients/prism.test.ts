import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';
import { installedVersion, readPage } from './table.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Starts Prism as a proxy that validates requests and responses and reports violations in a header. */
async function startPrism(upstream: string) {
  const program = join(import.meta.dirname, 'node_modules/.bin/prism');
  const args = ['proxy', join(ROOT, 'openapi.json'), upstream, '--port', '0'];
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let url = '';
  for await (const line of createInterface(child.stdout)) {
    url = /Prism is listening on (\S+)/.exec(line)?.[1] ?? '';
    if (url !== '') {
      break;
    }
  }
  child.stdout.resume();
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exited;
    },
  };
}

type Request = readonly [status: number, path: string, init?: RequestInit];

const create = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json', ...headers },
});
const NAMED = { 'Idempotency-Key': 'named' };

/** Requests that conform to the contract, as do their responses. */
const GOOD: readonly Request[] = [
  [201, '/pets', create({ name: 'Rex', categoryId: 7 })],
  [201, '/pets', create({ name: 'Ida', categoryId: -7, status: 'sold' }, NAMED)],
  [422, '/pets', create({ name: 'Ada', categoryId: 7 }, NAMED)],
  [200, '/pets'],
  [200, '/pets?limit=1&status=available&after=0'],
  [304, '/pets', { headers: { 'If-None-Match': '*' } }],
  [401, '/pets', { headers: { Authorization: 'Bearer no' } }],
  [406, '/pets', { headers: { Accept: 'text/html' } }],
  [200, '/pets/1'],
  [404, '/pets/0'],
];

/** Requests that violate the contract, with responses that conform to it. */
const BAD: readonly Request[] = [
  [400, '/pets?limit=101'],
  [400, '/pets?status=lost'],
  [400, '/pets', create({ name: '', categoryId: 7 })],
  [415, '/pets', create({}, { 'Content-Type': 'text/plain' })],
];

/** Returns the parts, `request` or `response`, in which Prism found violations. */
function violations({ headers }: Response): string[] {
  const told: unknown = JSON.parse(headers.get('sl-violations') ?? '[]');
  return [told].flat().flatMap((violation) => {
    const [part] = isJsonObject(violation) ? [violation['location']].flat() : [];
    return typeof part === 'string' ? [part] : [];
  });
}

test('Prism finds no violation of the OpenAPI document in responses', async () => {
  const { url, key } = await startGateway();
  await using prism = await startPrism(`${url}/v1`);
  for (const [index, [status, path, init]] of [...GOOD, ...BAD].entries()) {
    const headers = new Headers(init?.headers);
    if (!headers.has('Authorization')) {
      headers.set('Authorization', `Bearer ${key}`);
    }
    const answer = await fetch(prism.url + path, { ...init, headers });
    const blamed = index < GOOD.length ? [] : ['request'];
    expect([path, answer.status, [...new Set(violations(answer))]]).toEqual([path, status, blamed]);
  }
});

test('Prism reports an id beyond 2^53, which it rounds', async () => {
  const { url, key } = await startGateway();
  await using prism = await startPrism(`${url}/v1`);
  const answer = await fetch(`${prism.url}/pets`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: '{"name":"Rex","categoryId":9007199254740993}',
  });
  expect(violations(answer)).toEqual(['request', 'response']);
  expect(await answer.text()).toContain('"categoryId":9007199254740992,');
});

test('docs/rest-client.md names the tested version of Prism', async () => {
  const version = await installedVersion('@stoplight/prism-cli');
  const link = '[Prism](https://github.com/stoplightio/prism)';
  expect(await readPage('rest-client.md')).toContain(`${link} ${version} compares`);
});
