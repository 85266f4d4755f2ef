import { randomUUID } from 'node:crypto';
import { array, assert, asyncProperty, constantFrom, stringMatching, tuple } from 'fast-check';
import { PRECONDITION_FAILED } from '@store-gateway/graphql';
import { expect, test } from 'vitest';
import { NO_TAG_OF_ROW } from '../../packages/rest/src/requests.ts';
import { startChangedAnimals } from '../support/changed-animals.ts';
import { createdPath } from '../support/links.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway, type Answer } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';
import { propertyRuns } from '../support/property-runs.ts';

/* Requests with If-Match and If-None-Match (RFC 9110, 13.1). */

const gateway = await startGateway();
/** A store with PUT, whose changes cannot exclude versions. */
const changed = await startChangedAnimals();

const METHODS = ['PATCH', 'PUT', 'DELETE'] as const;
type Method = (typeof METHODS)[number];
const BODIES: Readonly<Partial<Record<Method, string>>> = {
  PATCH: '{"name":"Ida"}',
  PUT: '{"name":"Ida","categoryId":1}',
};
const DONE = { PATCH: 200, PUT: 200, DELETE: 204 } as const;
type Headers = Readonly<Record<string, string>>;

/** Adds an animal that no other test changes. */
async function newAnimal(store = changed) {
  const added = await store.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const path = createdPath(added, '/v1/pets');
  const { headers, text } = await store.request(path);
  const created = added.headers.get('ETag') ?? '';
  return { path, created, etag: headers.get('ETag') ?? '', text };
}

function change(
  method: Method,
  path: string,
  headers: Headers,
  store = changed,
  body = BODIES[method],
) {
  const type = { 'Content-Type': 'application/json' };
  return nodeRequest(store, path, {
    method,
    headers: { ...(body && type), ...headers },
    ...(body && { body }),
  });
}

const patch = (path: string, headers: Headers, body = '{"status":"sold"}') =>
  change('PATCH', path, headers, gateway, body);
const get = (path: string, headers: Headers, store = changed) =>
  nodeRequest(store, path, { headers });
const tagOf = async (path: string, store = gateway) =>
  (await store.request(path)).headers.get('ETag') ?? '';
const statusAndText = ({ status, text }: Pick<Answer, 'status' | 'text'>) => [status, text];

const failed = (message: string) => [412, errorBody(412, 'PRECONDITION_FAILED', message)];
const badInput = (message: string) => [400, errorBody(400, 'BAD_USER_INPUT', message)];
const CHANGED = failed(
  'The resource has changed: its current version matches none of the expected versions',
);
const NO_TAG = failed(NO_TAG_OF_ROW);

test('lists and animals have strong entity tags and must not be stored in shared caches', async () => {
  const { path } = await newAnimal(gateway);
  for (const { headers } of [await gateway.request('/v1/pets'), await gateway.request(path)]) {
    expect(headers.get('ETag')).toMatch(/^"[^"\s]+"$/);
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
    expect(headers.get('Vary')).toBe('Authorization');
  }
  const { headers } = await gateway.graphql('{ pets { id } }');
  expect(headers.get('Cache-Control')).toBe('private, no-cache');
  expect(headers.get('Vary')).toBe('Authorization, Accept');
});

test("an animal's entity tag contains the row's version, and a list's is a hash", async () => {
  const { path, etag, text } = await newAnimal();
  expect(etag).toMatch(/^"v-%22[\da-f]{16}-[\w+/=]+"$/);
  expect(text).not.toContain('version');
  const { headers } = await change('PATCH', path, {});
  expect(headers.get('ETag')).not.toBe(etag);
  expect(await tagOf(path, changed)).toBe(headers.get('ETag'));
  const list = '/v1/pets?limit=1';
  const listTag = await tagOf(list, changed);
  expect(listTag).toMatch(/^"[\w+/=]+"$/);
  expect((await get(list, { 'If-Match': listTag })).status).toBe(200);
  expect((await get(list, { 'If-Match': '"a-b"' })).status).toBe(412);
});

/** Generates lists of entity tags with empty elements and spaces, in which `$` stands for the current tag. */
const tags = array(
  tuple(
    constantFrom('$', 'W/$', ''),
    stringMatching(/^(?:W\/)?"[!#%-~\u00a1-\u00ff]{0,9}"$/),
    constantFrom('', ' ', '\t', ' , ,'),
  ),
  { minLength: 1, maxLength: 4 },
).map((elements) =>
  elements
    .map(([current, other, space]) => `${current === '' ? other : current}${space}`)
    .join(','),
);

test('a list of entity tags matches if it contains the current tag', async () => {
  const { path, etag } = await newAnimal();
  await assert(
    asyncProperty(tags, async (list) => {
      const current = list.split(/[,\s]+/).filter((element) => /^(?:W\/)?\$$/.test(element));
      const header = list.replaceAll('$', etag);
      // `fresh` does not accept tabs.
      const ifNoneMatch = await get(path, { 'If-None-Match': header.replaceAll('\t', ' ') });
      expect(ifNoneMatch.status).toBe(current.length > 0 ? 304 : 200);
      // A weak tag does not prove that the representation is the same (RFC 9110, 13.1.1).
      const ifMatch = await get(path, { 'If-Match': header });
      expect(ifMatch.status).toBe(current.includes('$') ? 200 : 412);
      const other = await newAnimal();
      const own = { 'If-Match': list.replaceAll('$', other.etag) };
      expect((await change('PATCH', other.path, own)).status).toBe(current.length > 0 ? 200 : 412);
    }),
    {
      ...propertyRuns(30),
      examples: [[', "a",,\t$ ,'], ['$,"a"'], ['"a,b" , $'], ['W/"a",$'], ['"other", W/"b",$']],
    },
  );
});

test.each(['', ',', 'x', '"', '"a" "b"', '"a";', '*, "a"', 'w/"a"', '"a b"', '"a\tb"'])(
  'a change with %j as If-Match or If-None-Match returns 400',
  async (header) => {
    const { path } = await newAnimal(gateway);
    for (const name of ['If-Match', 'If-None-Match']) {
      const answer = await patch(path, { [name]: header });
      expect(statusAndText(answer)).toEqual(
        badInput(`${name} must be * or entity tags such as "abc"`),
      );
    }
    expect((await get(path, { 'If-Match': header }, gateway)).status).toBe(400);
  },
);

test.each([
  ['the tag', (tag: string) => tag],
  ['*', () => '*'],
])('a request whose If-None-Match is %s returns 304 with headers only', async (_what, headerOf) => {
  const { path, etag } = await newAnimal(gateway);
  const init = { headers: { 'If-None-Match': headerOf(etag) } };
  for (const method of ['GET', 'HEAD']) {
    const { headers, ...answer } = await nodeRequest(gateway, path, { method, ...init });
    expect(statusAndText(answer)).toEqual([304, '']);
    const names = ['ETag', 'Cache-Control', 'Vary', 'Content-Type'];
    const values = names.map((name) => headers.get(name));
    expect(values).toEqual([etag, 'private, no-cache', 'Authorization', null]);
  }
  // fetch sends Cache-Control: no-cache with every If-None-Match.
  expect(await gateway.request(path, init)).toMatchObject({ status: 304, text: '' });
});

test('entity tags without their quotes and a quoted * match nothing', async () => {
  const { path, etag, text } = await newAnimal(gateway);
  for (const header of [etag.replaceAll('"', ''), '"*"']) {
    expect(statusAndText(await get(path, { 'If-None-Match': header }, gateway))).toEqual([
      200,
      text,
    ]);
  }
});

test('a GET compares If-Match with the complete entity tag, before it evaluates If-None-Match', async () => {
  const { path, etag } = await newAnimal();
  expect((await get(path, { 'If-Match': '*' })).status).toBe(200);
  for (const header of ['"a"', `W/${etag}`, etag.replace('-', '-0')]) {
    const answer = await get(path, { 'If-Match': header, 'If-None-Match': etag });
    expect(statusAndText(answer)).toEqual(CHANGED);
  }
  expect((await get(path, { 'If-Match': etag, 'If-None-Match': etag })).status).toBe(304);
});

test("a list keeps its entity tag until an animal is added to it, and a 304 has the list's links", async () => {
  const path = '/v1/pets?status=sold&limit=1';
  const first = await gateway.request(path);
  const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
  await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'pending' });
  const same = await get(path, headers, gateway);
  expect([same.status, same.headers.get('Link')]).toEqual([304, first.headers.get('Link')]);
  await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'sold' });
  const other = await get(path, headers, gateway);
  expect(other.status).toBe(200);
  expect(other.headers.get('ETag')).not.toBe(headers['If-None-Match']);
});

test.each([
  ['/v1/pets/0', {}, 404],
  ['/v1/pets?limit=0', {}, 400],
  ['/v1/pets?limit=1', { Authorization: 'Bearer no' }, 401],
])('If-None-Match: * does not turn the error for %s %j into a 304', async (path, given, status) => {
  const { headers, ...answer } = await get(path, { 'If-None-Match': '*', ...given }, gateway);
  expect([answer.status, headers.has('ETag')]).toEqual([status, false]);
  expect(headers.get('Cache-Control')).toBe('private, no-cache');
});

test.each(METHODS)(
  'a first %s with the current version takes effect, a second one does not',
  async (method) => {
    const { path, etag } = await newAnimal();
    const { status } = await change(method, path, { 'If-Match': `"other", ${etag}` });
    const again = await change(method, path, { 'If-Match': etag });
    expect([status, again.status]).toEqual([DONE[method], method === 'DELETE' ? 404 : 412]);
  },
);

const HASH = `${'x'.repeat(27)}=`;

test.each(
  METHODS.flatMap((method) =>
    [
      ['a different tag', () => '"other"', NO_TAG] as const,
      ['a different version', (etag: string) => etag.replace('%22', '%22f')] as const,
      [
        'a weak tag with a different version',
        (etag: string) => `W/${etag.replace('%22', '%22f')}`,
      ] as const,
      ['an invalid encoding', () => `"%-${HASH}"`, NO_TAG] as const,
      ['a version that the argument rejects', () => `"${'a'.repeat(300)}-${HASH}"`] as const,
    ].map(([what, headerOf, refusal]) => [method, what, headerOf, refusal] as const),
  ),
)('a %s whose If-Match is %s returns 412 and changes nothing', async (...row) => {
  const [method, , headerOf, refusal = CHANGED] = row;
  const { path, etag, text } = await newAnimal();
  expect(statusAndText(await change(method, path, { 'If-Match': headerOf(etag) }))).toEqual(
    refusal,
  );
  expect((await changed.request(path)).text).toBe(text);
});

test.each(['PATCH', 'DELETE'] as const)(
  'a %s does not require If-Match where the argument is optional, and * matches any version',
  async (method) => {
    for (const headers of [{}, { 'If-Match': '*' }]) {
      const { path } = await newAnimal();
      expect((await change(method, path, headers)).status).toBe(DONE[method]);
      expect((await change(method, '/v1/pets/0', headers)).status).toBe(404);
    }
  },
);

test('a PUT requires an If-Match other than * where the argument is required', async () => {
  const { path, text } = await newAnimal();
  const message = 'If-Match is required: send the ETag of the version to change';
  for (const headers of [{}, { 'If-Match': '*' }]) {
    const refusal = [428, errorBody(428, 'PRECONDITION_REQUIRED', message)];
    expect(statusAndText(await change('PUT', path, headers))).toEqual(refusal);
  }
  expect((await changed.request(path)).text).toBe(text);
});

test.each(METHODS)(
  'a %s with If-None-Match: * returns 412, or 404 for an unknown animal',
  async (method) => {
    const { path, etag } = await newAnimal();
    const headers = { 'If-None-Match': '*' };
    expect(statusAndText(await change(method, path, headers))).toEqual(CHANGED);
    expect((await change(method, '/v1/pets/0', headers)).status).toBe(404);
    // This store's mutations cannot exclude versions.
    const answer = await change(method, path, { 'If-None-Match': etag });
    expect(statusAndText(answer)).toEqual(
      badInput('This operation only supports If-None-Match: *'),
    );
  },
);

test.each([
  ['/v1/pets', { 'If-Match': '"a"' }],
  ['/v1/pets/1/sale', { 'If-Match': '*' }],
])('a POST to %s, whose mutation does not support versions, rejects %j', async (path, headers) => {
  const message = 'This operation does not support If-Match and If-None-Match';
  const answer = await nodeRequest(changed, path, { method: 'POST', headers });
  expect(statusAndText(answer)).toEqual(badInput(message));
});

test('an animal is added even with If-None-Match: *', async () => {
  const body = { name: 'Rex', categoryId: 1 };
  const { status, headers } = await gateway.post('/v1/pets', body, { 'If-None-Match': '*' });
  expect([status, headers.get('Cache-Control')]).toEqual([201, 'private, no-cache']);
});

/** The tag of a nonexistent row. */
const OTHER = `"${'x'.repeat(22)}-${'A'.repeat(27)}="`;

test('exactly one of eight changes to the same version takes effect', async () => {
  const { path, etag } = await newAnimal(gateway);
  const headers = { 'If-Match': etag };
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_none, n) => patch(path, headers, `{"name":"Rex ${n}"}`)),
  );
  const statuses = answers.map(({ status }) => status);
  expect(Object.groupBy(statuses, String)).toEqual({ 200: [200], 412: Array(7).fill(412) });
  const made = answers[statuses.indexOf(200)];
  expect((await gateway.request(path)).text).toBe(made?.text);
  expect(await tagOf(path)).toBe(made?.headers.get('ETag'));
  expect(await tagOf(path)).not.toBe(etag);
  expect(answers.find(({ status }) => status === 412)?.text).toContain(PRECONDITION_FAILED);
});

test.each<[string, (tag: string) => string]>([
  ['that created the animal', (tag) => tag],
  ['that a proxy made weak', (tag) => `W/${tag}`],
  ['to which a proxy added -gzip', (tag) => tag.replace(/"$/, '-gzip"')],
  ['that a proxy made weak with --gzip', (tag) => `W/${tag.replace(/"$/, '--gzip"')}`],
])('a change may send in If-Match the tag from a response %s', async (_what, received) => {
  const { path, created, etag } = await newAnimal(gateway);
  expect(created).toBe(etag);
  const headers = { 'If-Match': received(created) };
  expect((await patch(path, headers)).status).toBe(200);
  expect((await patch(path, headers)).status).toBe(412);
});

test("a list's entity tag does not match an animal", async () => {
  const { path } = await newAnimal(gateway);
  const headers = { 'If-Match': await tagOf('/v1/pets') };
  expect(statusAndText(await patch(path, headers))).toEqual(NO_TAG);
  expect((await patch('/v1/pets/123456789', headers)).status).toBe(404);
});

test.each(['PATCH', 'DELETE'] as const)(
  'a %s whose If-None-Match has the current tag returns 412, and with any other tag it takes effect',
  async (method) => {
    const { path, etag, text } = await newAnimal(gateway);
    const excluded = 'The current version is one of those that the request excludes';
    for (const header of [etag, `W/${etag}`, `"x", ${etag.replace(/"$/, '-gzip"')}`]) {
      const answer = await change(method, path, { 'If-None-Match': header }, gateway);
      expect(statusAndText(answer)).toEqual(failed(excluded));
    }
    expect((await gateway.request(path)).text).toBe(text);
    for (const header of [OTHER, `"x", ${OTHER}`, await tagOf('/v1/pets')]) {
      const headers = { 'If-None-Match': header };
      const animal = await newAnimal(gateway);
      expect((await change(method, animal.path, headers, gateway)).status).toBe(DONE[method]);
      expect((await change(method, '/v1/pets/0', headers, gateway)).status).toBe(404);
    }
  },
);

test('a change with If-Match and If-None-Match must satisfy both', async () => {
  const { path, etag } = await newAnimal(gateway);
  const statuses: number[] = [];
  for (const [ifMatch, ifNoneMatch] of [
    [etag, etag],
    ['"x"', OTHER],
    [OTHER.replace('"x', '"!x'), OTHER],
    ['*', etag],
    [etag, OTHER],
  ] as const) {
    const headers = { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch };
    statuses.push((await patch(path, headers)).status);
  }
  expect(statuses).toEqual([412, 412, 412, 412, 200]);
});

test('parallel changes all take effect if each excludes a version that the row never has', async () => {
  const { path } = await newAnimal(gateway);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      patch(path, { 'If-None-Match': OTHER, 'Idempotency-Key': randomUUID() }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
});
