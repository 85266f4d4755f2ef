import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const { url } = await startGateway();
/** A browser comes without a key. */
const BROWSER = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  Authorization: '',
};

function open(headers: Record<string, string> = {}) {
  return nodeRequest({ url, key: '' }, '/graphql', { headers: { ...BROWSER, ...headers } });
}

test('a browser gets GraphiQL, which needs no key and has all its assets inside', async () => {
  const { status, headers, text } = await open();
  expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toContain('YogaGraphiQL.renderYogaGraphiQL(');
  const frame = text.replaceAll(/<(script|style)>.*?<\/\1>/gs, '');
  const references = Array.from(frame.matchAll(/\s(?:src|href)="([^":]*:?)/g), ([, to]) => to);
  expect(references).toEqual(['data:']);
});

test('the page may run its own scripts, and talk to nobody but us', async () => {
  const { headers, text } = await open();
  const scripts = Array.from(
    text.matchAll(/<script>(.*?)<\/script>/gs),
    ([, script = '']) => script,
  );
  const hashes = scripts.map(
    (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  const policy = (headers.get('Content-Security-Policy') ?? '').split('; ');
  expect(scripts.length).toBeGreaterThan(0);
  expect(policy).toContain(`script-src ${hashes.join(' ')}`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self'");
});

test('the page is sent compressed, and not at all to whoever has it', async () => {
  const plain = await open();
  const compressed = await fetch(`${url}/graphql`, {
    headers: { Accept: 'text/html', 'Accept-Encoding': 'gzip' },
  });
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip');
  expect(await compressed.text()).toBe(plain.text);
  const again = await open({ 'If-None-Match': plain.headers.get('ETag') ?? '' });
  expect([again.status, again.text]).toEqual([304, '']);
});

test.each(['*/*', 'application/json', 'application/graphql-response+json'])(
  'a client that accepts %s does not get the page',
  async (Accept) => {
    expect((await open({ Accept })).status).toBe(401);
  },
);
