import { expect, test } from 'vitest';
import type { Caller } from '@store-gateway/access';
import { startGateway, type GatewayOptions } from '../support/gateway.ts';
import { AUDIENCE, startIdentityProvider } from '../support/identity-provider.ts';

const provider = await startIdentityProvider();
const { issuer, issue, sign } = provider;
const OIDC = { oidcIssuer: issuer, oidcAudience: AUDIENCE };

/** Callers of operations, even of those that need no scope. */
const callers: Caller[] = [];
const api: GatewayOptions['api'] = {
  operationSteps: [
    (operation, call, next) => {
      callers.push(call.caller);
      return next(operation, call);
    },
  ],
};
const ANY_OPERATION = '/graphql?query={__typename}';
const gateway = await startGateway({ ...OIDC, api, access: { scopes: { prices: 'See prices.' } } });
const { request } = gateway;
const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;

async function callerOf(token: string): Promise<Caller | undefined> {
  await request(ANY_OPERATION, as(token));
  return callers.pop();
}

test('a token of the provider is good on both surfaces, beside API keys', async () => {
  const token = await issue();
  for (const path of ['/v1/pets', '/graphql?query={pets{id}}']) {
    expect((await request(path, as(token))).status).toBe(200);
    expect((await request(path)).status).toBe(200);
  }
});

test('a caller is its subject, with those of its scopes that the store has', async () => {
  expect(await callerOf(await issue('read prices unknown'))).toMatchObject({
    name: 'sub:shop',
    client: 'key:sub:shop',
    scopes: new Set(['read', 'prices']),
    claims: { iss: issuer, sub: 'shop', client_id: 'shop' },
  });
});

test.each([
  ['those of scp as a list', { scope: undefined, scp: ['read', 'prices'] }, ['read', 'prices']],
  ['those of scp as text', { scope: undefined, scp: 'read prices' }, ['read', 'prices']],
  ['those of scope rather than scp', { scope: 'read', scp: ['write'] }, ['read']],
  ['those of scp if scope is empty', { scope: '', scp: ['read'] }, ['read']],
  ['none that only resemble one', { scope: 'readwrite read:pets READ all' }, []],
  ['none of another form', { scope: { read: true } }, []],
  ['none if there are none', { scope: undefined }, []],
])('scopes are %s', async (_what, claims, expected) => {
  expect((await callerOf(sign(claims)))?.scopes).toEqual(new Set(expected));
});

test('a subject has one id below 0, which no other subject has, and no API key', async () => {
  const [ann, again, bob, one] = [
    await callerOf(sign({ sub: 'ann' })),
    await callerOf(sign({ sub: 'ann', scope: 'read' })),
    await callerOf(sign({ sub: 'bob' })),
    await callerOf(sign({ sub: '1' })),
  ];
  expect(ann?.id).toBeLessThan(0n);
  expect(ann?.id).toBeGreaterThanOrEqual(-(2n ** 63n));
  expect(again?.id).toBe(ann?.id);
  expect(new Set([ann?.id, bob?.id, one?.id]).size).toBe(3);
  // The API key of the gateway has the id 1.
  expect([one?.name, one?.client]).toEqual(['sub:1', 'key:sub:1']);
});

test('the same subject of another issuer is another caller', async () => {
  const other = await startIdentityProvider();
  const beside = await startGateway({ oidcIssuer: other.issuer, oidcAudience: AUDIENCE, api });
  const ann = await callerOf(sign());
  await beside.request(ANY_OPERATION, as(other.sign()));
  expect(callers.pop()).toMatchObject({ name: ann?.name });
  await beside.request(ANY_OPERATION, as(other.sign()));
  expect(callers.pop()?.id).not.toBe(ann?.id);
});

test('integers in claims keep their digits', async () => {
  const token = provider.signText(
    `{"iss":"${issuer}","aud":"${AUDIENCE}","sub":"ann","exp":${seconds(600)},"tenant":9007199254740993}`,
  );
  expect((await callerOf(token))?.claims).toMatchObject({ tenant: 9007199254740993n });
});

test('an expired token is told so, after the 30 s by which clocks may differ', async () => {
  expect(await request('/v1/pets', as(sign({ exp: seconds(-40) })))).toMatchObject({
    status: 401,
    json: { code: 'UNAUTHENTICATED', message: 'The access token has expired' },
  });
  expect((await request('/v1/pets', as(sign({ exp: seconds(-10) })))).status).toBe(200);
  expect((await request('/v1/pets', as(sign({ nbf: seconds(20) })))).status).toBe(200);
});

test.each([['JWT'], ['application/at+jwt'], ['AT+JWT'], [undefined]])(
  'a token of typ %s is an access token, as it has scopes',
  async (typ) => {
    expect((await request('/v1/pets', as(sign({}, { typ })))).status).toBe(200);
  },
);

test('a token of 8 kB is good, also when it is known', async () => {
  const token = sign({ groups: Array.from({ length: 500 }, (_, index) => `group ${index}`) });
  expect(token.length).toBeGreaterThan(8000);
  expect((await request('/v1/pets', as(token))).status).toBe(200);
  expect((await request('/v1/pets', as(token))).status).toBe(200);
});

test('without credentials, both kinds are asked for', async () => {
  const { status, headers, json } = await request('/v1/pets', { headers: { Authorization: '' } });
  expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
  expect(json).toMatchObject({
    message: 'An access token or an API key is required: Authorization: Bearer <TOKEN>',
  });
});

test.each(['wrong', 'encrypted.a.b.c.d', '..', 'a.b', 'a.b.c=', '.eyJ.'])(
  '%s is no token, and taken for an API key',
  async (token) => {
    expect(await request('/v1/pets', as(token))).toMatchObject({
      status: 401,
      json: { message: 'The API key is not valid' },
    });
  },
);

test('identical requests with different tokens never share a response', async () => {
  const limited = await startGateway({ ...OIDC, rateLimit: { quota: 100, windowSeconds: 6000 } });
  const tokens = ['a', 'b', 'c'].map((sub) => sign({ sub }));
  const invalid = sign({ aud: 'https://other.example' });
  const all = Array.from({ length: 32 }, (_, index) => [...tokens, invalid][index % 4] ?? '');
  const answers = await Promise.all(all.map((token) => limited.request('/v1/pets', as(token))));
  expect(answers.map(({ status }) => status)).toEqual(
    all.map((token) => (token === invalid ? 401 : 200)),
  );
  for (const token of tokens) {
    // Eight requests before, each counted for its own subject.
    const { headers } = await limited.request('/v1/pets', as(token));
    expect(headers.get('RateLimit')).toContain('r=91;');
  }
});

const create = async (token: string) =>
  request('/v1/pets', {
    method: 'POST',
    headers: {
      ...as(token).headers,
      'Content-Type': 'application/json',
      'Idempotency-Key': '"a"',
    },
    body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
  });

test('idempotency keys are the subject’s, whatever its token', async () => {
  const first = await create(sign({ sub: 'eve', jti: '1' }));
  const again = await create(sign({ sub: 'eve', jti: '2' }));
  const other = await create(sign({ sub: 'mallory' }));
  expect([first.status, again.status, other.status]).toEqual([201, 201, 201]);
  expect(again.text).toBe(first.text);
  expect(other.text).not.toBe(first.text);
});

test('a store’s own authentication gets callers of tokens by byApiKey', async () => {
  const own = await startGateway({
    ...OIDC,
    api,
    access: {
      authenticate: async (_request, byApiKey) => ({ ...(await byApiKey()), claims: 'its own' }),
    },
  });
  expect((await own.request(ANY_OPERATION, as(await issue('read')))).status).toBe(200);
  expect(callers.pop()).toMatchObject({
    name: 'sub:shop',
    scopes: new Set(['read']),
    claims: 'its own',
  });
  expect((await own.request('/v1/pets', as(sign({ sub: '' })))).status).toBe(401);
});

test('a token that names no key is good if it is signed by one of four, and refused if one more would have to be tried', async () => {
  const several = await startIdentityProvider();
  await several.rotate(true);
  await several.rotate(true);
  await several.rotate(true);
  const options = { oidcIssuer: several.issuer, oidcAudience: AUDIENCE };
  const token = (sub: string) => several.sign({ sub }, { kid: undefined });
  const ofFour = await startGateway(options);
  expect((await ofFour.request('/v1/pets', as(token('ann')))).status).toBe(200);
  await several.rotate(true);
  const ofFive = await startGateway(options);
  expect((await ofFive.request('/v1/pets', as(token('bob')))).status).toBe(401);
});
