import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startGateway();

function open(path: string, Accept = 'text/html,*/*;q=0.8') {
  return nodeRequest(gateway, path, { headers: { Accept } });
}

const PAGES = ['/', '/docs', '/guides', '/guides/api', '/graphql', '/nowhere', '/v1'];

test.each(PAGES)(
  'the page %s has security headers and a Content-Security-Policy that allows only its own sources',
  async (path) => {
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
    const policy = policyOf(headers);
    for (const directive of ['default-src', 'base-uri', 'form-action', 'frame-ancestors']) {
      // The 404 page has a base element.
      const sources = path === '/nowhere' && directive === 'base-uri' ? ["'self'"] : ["'none'"];
      expect([directive, policy.get(directive)]).toEqual([directive, sources]);
    }
    const allowed = /^(?:'self'|'none'|'sha256-[\w+/]+=*'|data:|blob:)$/;
    for (const [directive, sources] of policy) {
      const tolerated = path === '/graphql' && directive === 'style-src' ? ["'unsafe-inline'"] : [];
      expect(sources.filter((source) => !allowed.test(source))).toEqual(tolerated);
    }
    expect(policy.get('script-src') ?? []).not.toContain('data:');
  },
);

/** The sources that a Content-Security-Policy allows, by directive. */
function policyOf(headers: Headers): Map<string, string[]> {
  const directives = (headers.get('Content-Security-Policy') ?? '').split(';');
  return new Map(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
}

test.each([
  '/v1/pets',
  '/v1/pets?limit=0',
  '/graphql?query={pets{id}}',
  '/nowhere',
  '/v1/openapi.json',
  '/assets/base.css',
])('responses of %s forbid MIME sniffing', async (path) => {
  expect((await open(path, '*/*')).headers.get('X-Content-Type-Options')).toBe('nosniff');
});
