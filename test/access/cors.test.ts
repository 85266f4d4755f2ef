import { expect, test } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const SHOP = 'https://shop.example';
const closed = await startGateway();
const open = await startGateway({ corsOrigins: [SHOP, 'http://localhost:5173'] });
const withHeaders = await startGateway({
  corsOrigins: [SHOP],
  corsHeaders: ['X-Tenant', 'datadog-id'],
});
const openToAll = await startGateway({ corsOrigins: ['*'] });

const ADDRESSES = ['/v1/pets', '/graphql'];

function preflight(gateway: Gateway, path: string, origin: string) {
  return nodeRequest(gateway, path, {
    method: 'OPTIONS',
    headers: {
      Authorization: '',
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  });
}

/** The CORS headers, by name. */
function corsHeaders({ headers }: { readonly headers: Headers }): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

const EXPOSED =
  'Deprecation,ETag,Idempotent-Replayed,Ignored-Parameters,Link,Location,Preference-Applied,RateLimit,RateLimit-Policy,Retry-After,Sunset,WWW-Authenticate,X-Request-Id,X-Total-Count';

test.each(ADDRESSES)(
  'a preflight request to %s from an allowed origin does not need a key',
  async (path) => {
    const answer = await preflight(open, path, SHOP);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-headers':
        'Authorization,Content-Encoding,Content-Type,Idempotency-Key,If-Match,If-None-Match,Prefer,traceparent,tracestate,X-Request-Id,baggage,sentry-trace,X-Requested-With,apollographql-client-name,apollographql-client-version,apollo-require-preflight,X-Apollo-Operation-Name,graphql-client-name,graphql-client-version',
      'access-control-allow-methods': 'GET,HEAD,POST,PATCH,DELETE',
      'access-control-allow-origin': SHOP,
      'access-control-expose-headers': EXPOSED,
      'access-control-max-age': '7200',
    });
    expect(answer.headers.get('Vary')).toContain('Origin');
  },
);

test.each(ADDRESSES)(
  'preflight responses of %s allow the headers in CORS_HEADERS',
  async (path) => {
    const answer = await preflight(withHeaders, path, SHOP);
    expect(answer.headers.get('Access-Control-Allow-Headers')).toMatch(
      /^Authorization,.*,X-Tenant,datadog-id$/,
    );
  },
);

// The request to /v1/pets/1 has an invalid key.
test.each([
  '/v1/pets',
  '/v1/pets/0',
  '/v1/pets/1',
  '/v1/pets?limit=0',
  '/graphql?query={pets{id}}',
  '/v1/x',
])(
  'a page from an allowed origin may read the response of %s and its exposed headers',
  async (path) => {
    const headers = { Origin: SHOP, ...(path === '/v1/pets/1' && { Authorization: 'Bearer no' }) };
    const answer = await open.request(path, { headers });
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': SHOP,
      'access-control-expose-headers': EXPOSED,
    });
    expect(answer.headers.get('Vary')).toContain('Origin');
  },
);

test.each(['https://evil.example', 'https://shop.example.evil.example', 'null'])(
  'a page from %s cannot read any response',
  async (origin) => {
    for (const path of ADDRESSES) {
      for (const gateway of [open, closed]) {
        const asked = await preflight(gateway, path, origin);
        const read = await gateway.request(path, { headers: { Origin: origin } });
        expect(asked.headers.get('Access-Control-Allow-Origin')).toBeNull();
        expect(read.headers.get('Access-Control-Allow-Origin')).toBeNull();
      }
    }
  },
);

test('responses have Vary: Origin, even if the request has no Origin', async () => {
  const { headers } = await open.request('/v1/pets');
  expect(headers.get('Vary')).toBe('Origin, Authorization');
});

test('with the CORS origin *, pages from all origins may read responses', async () => {
  const answer = await openToAll.request('/v1/pets', {
    headers: { Origin: 'https://any.example' },
  });
  expect(corsHeaders(answer)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': EXPOSED,
  });
  expect((await preflight(openToAll, '/graphql', 'https://any.example')).status).toBe(204);
});

test.each(ADDRESSES)(
  'OPTIONS %s without Access-Control-Request-Method is not handled as a preflight request',
  async (path) => {
    const answer = await nodeRequest(open, path, { method: 'OPTIONS', headers: { Origin: SHOP } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('Allow')).toBe('GET, HEAD, POST, OPTIONS');
    expect(corsHeaders(answer)).toEqual({});
  },
);
