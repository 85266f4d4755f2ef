import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { BAD_KEY, countRows, notRefused, NO_KEY, storeAskedDocument } from '../support/refusals.ts';
import { sendBytes } from '../support/wire.ts';

const gateway = await startGateway();
const { url, key } = gateway;
await storeAskedDocument(gateway);
const bad = generateApiKey();

/** What adds an animal, with these lines behind the first. */
function addition(lines: string): string {
  const body = '{"name":"smuggled","categoryId":1}';
  return `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${lines}\r\n${body}`;
}

const statusOf = async (lines: string) =>
  (await sendBytes(url, addition(lines), ['POST']))[0]?.status;

test.each([
  ['a good one and a bad one', [`Bearer ${key}`, `Bearer ${bad}`], BAD_KEY],
  ['a bad one and a good one', [`Bearer ${bad}`, `Bearer ${key}`], BAD_KEY],
  ['a good one twice', [`Bearer ${key}`, `Bearer ${key}`], BAD_KEY],
  ['a good one and an empty one', [`Bearer ${key}`, ''], BAD_KEY],
  ['an empty one and a good one', ['', `Bearer ${key}`], NO_KEY],
  ['a good one and one of another scheme', [`Bearer ${key}`, 'Basic eDp5'], BAD_KEY],
  ['one of another scheme and a good one', ['Basic eDp5', `Bearer ${key}`], NO_KEY],
  ['a scheme and a key', ['Bearer', key], NO_KEY],
  ['a key in two', [`Bearer ${key.slice(0, 30)}`, key.slice(30)], BAD_KEY],
  ['a good one twenty times', Array.from({ length: 20 }, () => `Bearer ${key}`), BAD_KEY],
])('two Authorization headers, %s, open nothing', async (what, values, told) => {
  expect(await notRefused(gateway, [{ what, headers: { Authorization: values }, told }])).toEqual(
    [],
  );
});

test('that a second one is named in other letters changes nothing', async () => {
  expect(await statusOf(`Authorization: Bearer ${key}\r\nAUTHORIZATION: Bearer ${bad}\r\n`)).toBe(
    401,
  );
});

/** The codes of the bytes, each in one of these headers, that are not refused, or not taken if they are allowed. */
async function opened(all: readonly string[], allowed: readonly string[]): Promise<number[]> {
  const wrong: number[] = [];
  // One after the other: a busy machine may turn some of 256 at once away as too many.
  for (const [code, lines] of all.entries()) {
    const status = await statusOf(lines);
    const expected = allowed.includes(String.fromCharCode(code)) ? [201] : [400, 401];
    if (!expected.includes(status ?? 0)) {
      wrong.push(code);
    }
  }
  return wrong;
}

test('any byte in, before or behind a key is refused, but for white space that HTTP leaves out', async () => {
  const before = await countRows(gateway);
  const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
  const [front, within, behind] = [
    bytes.map((byte) => `Authorization: Bearer ${byte}${key}\r\n`),
    bytes.map((byte) => `Authorization: Bearer ${key.slice(0, 9)}${byte}${key.slice(9)}\r\n`),
    bytes.map((byte) => `Authorization: Bearer ${key}${byte}\r\n`),
  ];
  expect(await opened(front, [' '])).toEqual([]);
  expect(await opened(within, [])).toEqual([]);
  expect(await opened(behind, [' ', '\t'])).toEqual([]);
  // The three that were allowed.
  expect(before).toEqual([{ pets: 0n, calls: 0n, keys: 0n }]);
  expect(await countRows(gateway)).toEqual([{ pets: 3n, calls: 0n, keys: 0n }]);
});

test.each([
  ['before the colon', `Authorization : Bearer ${key}\r\n`],
  ['before the name', ` Authorization: Bearer ${key}\r\n`],
  ['a fold behind the scheme', `Authorization: Bearer\r\n ${key}\r\n`],
  ['a fold before it', `Authorization:\r\n Bearer ${key}\r\n`],
  ['a fold of a tab', `Authorization: Bearer\r\n\t${key}\r\n`],
  ['a fold of another header', `X: y\r\n Authorization: Bearer ${key}\r\n`],
  ['a bare line feed', `X: y\nAuthorization: Bearer ${key}\r\n`],
  ['a bare carriage return', `X: y\rAuthorization: Bearer ${key}\r\n`],
  ['a NUL in the name', `Authorization\0: Bearer ${key}\r\n`],
  ['a name with an underscore', `_Authorization: Bearer ${key}\r\n`],
  ['no colon', `Authorization Bearer ${key}\r\n`],
])('odd white space, %s, opens nothing', async (_what, lines) => {
  const before = await countRows(gateway);
  expect([400, 401]).toContain(await statusOf(lines));
  expect(await countRows(gateway)).toEqual(before);
});

test('a key in the trailers opens nothing', async () => {
  const before = await countRows(gateway);
  const body = '{"name":"smuggled","categoryId":1}';
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  for (const lines of ['', `Authorization: Bearer ${bad}\r\n`]) {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTrailer: Authorization\r\n${lines}Transfer-Encoding: chunked\r\n\r\n`;
    const [answer] = await sendBytes(url, head + chunked, ['POST']);
    expect(answer?.status).toBe(401);
  }
  expect(await countRows(gateway)).toEqual(before);
});

test.each([
  ['with no key', '', NO_KEY],
  ['with a bad one', `Authorization: Bearer ${bad}\r\n`, BAD_KEY],
])('Connection: Authorization %s opens nothing', async (_what, lines, { challenge }) => {
  const [answer] = await sendBytes(url, addition(`Connection: Authorization, close\r\n${lines}`), [
    'POST',
  ]);
  expect([answer?.status, answer?.headers.get('www-authenticate')]).toEqual([401, challenge]);
});

test('a good key opens nothing for the next request on the connection', async () => {
  const bare = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n';
  const answers = await sendBytes(
    url,
    `${bare}Authorization: Bearer ${key}\r\n\r\n${bare}\r\n${bare}Authorization: Bearer ${bad}\r\n\r\n`,
    ['GET', 'GET', 'GET'],
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 401]);
});

test('a value beyond the bound of headers is refused as such', async () => {
  const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'a'.repeat(20_000)}\r\n\r\n`;
  const [answer] = await sendBytes(url, request);
  expect(answer?.status).toBe(431);
});
