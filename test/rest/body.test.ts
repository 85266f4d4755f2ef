import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { jsonFault } from '@store-gateway/ops';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';
import { bodySender, CREATED, REX } from '../support/send-body.ts';
import { wrongBody } from '../support/wrong-body.ts';

const gateway = await startGateway();

const send = bodySender(gateway);

function wrongType(...header: Parameters<typeof wrongBody>) {
  return [415, errorBody(415, 'UNSUPPORTED_MEDIA_TYPE', wrongBody(...header))];
}

function refusal(message: string) {
  return [400, errorBody(400, 'BAD_USER_INPUT', message)];
}
const NO_UTF8 = [400, errorBody(400, 'BAD_USER_INPUT', 'The body is not valid UTF-8')];

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; profile=x',
])('a body of %s is taken', async (type) => {
  expect(await send(REX, { 'Content-Type': type })).toEqual(CREATED);
});

test.each([
  ['text/plain'],
  ['text/json'],
  ['application/x-www-form-urlencoded'],
  ['multipart/form-data; boundary=x', 'multipart/form-data'],
  ['application/problem+json'],
  ['application/graphql'],
  ['application/jsonp'],
  ['json', 'none of these'],
  ['*/*', 'none of these'],
  ['application/json, text/plain', 'none of these'],
  ['', 'missing'],
])('a body of "%s" is 415', async (type, told = type) => {
  expect(await send(REX, { 'Content-Type': type })).toEqual(wrongType('Content-Type', told));
});

test('a body of no type is 415', async () => {
  const { status, text } = await nodeRequest(gateway, '/v1/pets', {
    method: 'POST',
    body: REX,
  });
  expect([status, text]).toEqual(wrongType('Content-Type'));
});

test.each(['latin1', 'iso-8859-1', 'us-ascii', 'utf8', 'nonsense'])(
  'a body in the charset %s is 415',
  async (charset) => {
    const type = `application/json; charset=${charset}`;
    expect(await send(REX, { 'Content-Type': type })).toEqual(
      wrongType('Content-Type', type || undefined),
    );
  },
);

test.each(['utf-16', 'utf-16le', 'utf-32', 'utf-7'])(
  'a body in the charset %s is 415: it is another UTF',
  async (charset) => {
    const type = `application/json; charset=${charset}`;
    expect(await send(REX, { 'Content-Type': type })).toEqual(
      wrongType('Content-Type', type || undefined),
    );
  },
);

test.each([
  '{',
  '}',
  REX.slice(0, -1),
  `${REX},`,
  `${REX}${REX}`,
  ' ',
  '{"name":"a\nb"}',
  ...`Rex undefined NaN {'name':'Rex'} {"name":"Rex",} {"name":"Rex"/**/} name=Rex`.split(' '),
  ...'{"categoryId":01} {"categoryId":+1} {"categoryId":0x1} {"categoryId":1.}'.split(' '),
  ...'{"categoryId":NaN} {"name":"\\x41"} {"name":"\\u12"}'.split(' '),
])('the body %j is 400: it is not JSON', async (body) => {
  const { line = 0, column = 0 } = jsonFault(body) ?? {};
  expect(await send(body)).toEqual(
    refusal(`The body is not valid JSON at line ${line}, column ${column}`),
  );
});

test.each([
  ['no body', undefined, {}],
  ['no body of a type', undefined, { 'Content-Type': 'text/plain' }],
  ['an empty body', '', {}],
  ['an empty body of a type', '', { 'Content-Type': 'text/plain' }],
  ['an empty JSON body', '', { 'Content-Type': 'application/json' }],
  [
    'an empty JSON body in chunks',
    '',
    { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
  ],
])('%s is an object without members', async (_what, body, headers) => {
  const { status, text } = await nodeRequest(gateway, '/v1/pets', {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const message =
    'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates; ' +
    'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';
  expect([status, text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
});

test.each([
  ['a Latin-1 letter', [0xe9]],
  ['a lone continuation byte', [0x80]],
  ['a truncated character', [0xf0, 0x9f, 0x90]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a pair of surrogates', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
  ['a code point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
])('a body with %s in its bytes is 400: it is not UTF-8', async (_what, bytes) => {
  const [before, after] = REX.split('Rex');
  const body = Buffer.concat([
    Buffer.from(before ?? ''),
    Buffer.from(bytes),
    Buffer.from(after ?? ''),
  ]);
  expect(await send(body)).toEqual(NO_UTF8);
  const gzipped = gzipSync(body);
  expect(await send(gzipped, { 'Content-Encoding': 'gzip' })).toEqual(NO_UTF8);
});

test('a body in UTF-16 is no JSON', async () => {
  expect(await send(Buffer.from(REX, 'utf16le'))).toEqual(
    refusal('The body is not valid JSON at line 1, column 2'),
  );
});

test('a byte order mark before the body is passed over', async () => {
  expect(await send(Buffer.from(`\ufeff${REX}`))).toEqual(CREATED);
});

test('JSON that is nested too deeply to read is refused as such', async () => {
  const deep = `{"name":"Rex","categoryId":1,"x":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
  expect(await send(deep)).toEqual(refusal('The body is nested too deeply'));
});
