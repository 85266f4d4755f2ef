import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startGateway();

function open(path: string, Accept = 'text/html,*/*;q=0.8') {
  return nodeRequest(gateway, path, { headers: { Accept } });
}

const PAGES = ['/', '/docs', '/guides', '/guides/api', '/graphql', '/nowhere', '/v1'];

test.each(PAGES)('%s is a page that nothing can be made of', async (path) => {
  const { headers } = await open(path);
  expect(Object.fromEntries(headers)).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
  });
  expect(headers.has('Strict-Transport-Security')).toBe(false);
});

/** The sources that a page's policy allows, by directive. */
async function policyOf(path: string): Promise<Map<string, string[]>> {
  const { headers } = await open(path);
  const directives = (headers.get('Content-Security-Policy') ?? '').split(';');
  return new Map(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
}

test.each(PAGES)('the policy of %s allows nothing but what it names', async (path) => {
  const policy = await policyOf(path);
  for (const directive of ['default-src', 'base-uri', 'form-action', 'frame-ancestors']) {
    // The page of what isn't there has a base element.
    const sources = path === '/nowhere' && directive === 'base-uri' ? ["'self'"] : ["'none'"];
    expect([directive, policy.get(directive)]).toEqual([directive, sources]);
  }
});

test.each(PAGES)(
  'the policy of %s lets no script run but its own, and no other host be asked',
  async (path) => {
    const policy = await policyOf(path);
    const allowed = /^(?:'self'|'none'|'sha256-[\w+/]+=*'|data:|blob:)$/;
    for (const [directive, sources] of policy) {
      const tolerated = path === '/graphql' && directive === 'style-src' ? ["'unsafe-inline'"] : [];
      expect(sources.filter((source) => !allowed.test(source))).toEqual(tolerated);
    }
    expect(policy.get('script-src') ?? []).not.toContain('data:');
  },
);

test.each([
  '/v1/pets',
  '/v1/pets?limit=0',
  '/graphql?query={pets{id}}',
  '/nowhere',
  '/v1/openapi.json',
  '/assets/base.css',
])('what %s answers to a client is not taken for anything else', async (path) => {
  expect((await open(path, '*/*')).headers.get('X-Content-Type-Options')).toBe('nosniff');
});
