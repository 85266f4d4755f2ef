import {
  CODINGS,
  FIELDS,
  LENGTHS,
  LINE_ENDS,
  METHODS,
  TARGETS,
  VERSIONS,
} from './framing-pieces.ts';
import { hostileText } from './hostile-text.ts';
import type { Random } from './random.ts';
import { get, post, validRequest } from './valid-requests.ts';
import { utf8AsLatin1, writeRequest, type WireRequest } from './wire-request.ts';

type Attack = (random: Random, tag: string) => Buffer;

/** What is answered while its body may still be on its way. */
const BODILESS = [
  '/readyz',
  '/livez',
  '/v1/pets',
  '/v1/openapi.json',
  '/graphql?query={pets{id}}',
  '/',
];

/** A request that adds an animal, without what tells of its length. */
function bare(tag: string): WireRequest {
  const request = post('/v1/pets', JSON.stringify({ name: tag, categoryId: 1 }));
  return { ...request, headers: request.headers.filter(([name]) => name !== 'Content-Length') };
}

function withHeaders(request: WireRequest, ...more: WireRequest['headers'][number][]): Buffer {
  return writeRequest({ ...request, headers: [...request.headers, ...more] });
}

function chunked(body: Buffer, random: Random): Buffer {
  const size = body.length.toString(16);
  const text = body.toString('latin1');
  const [head, tail] = random.pick([
    [`${size}\r\n`, '\r\n0\r\n\r\n'],
    [`${size};${'x'.repeat(random.integer(0, 20_000))}\r\n`, '\r\n0\r\n\r\n'],
    [`${size};a="\r\n"\r\n`, '\r\n0\r\n\r\n'],
    [`0x${size}\r\n`, '\r\n0\r\n\r\n'],
    [`${'0'.repeat(40)}${size}\r\n`, '\r\n0\r\n\r\n'],
    [`-${size}\r\n`, '\r\n0\r\n\r\n'],
    ['ffffffffffffffff\r\n', '\r\n0\r\n\r\n'],
    [`${size}\n`, '\n0\n\n'],
    [`${size}\r\n`, 'XX0\r\n\r\n'],
    [`${size}\r\n`, '\r\n0\r\nAuthorization: Bearer x\r\nContent-Length: 5\r\n\r\n'],
    [`${size}\r\n`, `\r\n0\r\n${'X: y\r\n'.repeat(random.integer(1, 5000))}\r\n`],
    [`${size}\r\n`, '\r\n'],
    [` ${size} \r\n`, '\r\n0\r\n\r\nGET /v1/pets HTTP/1.1\r\n\r\n'],
  ] as const);
  return Buffer.from(head + text + tail, 'latin1');
}

/** Attacks by how requests are told from each other, each in a few words. */
export const FRAMING_ATTACKS: readonly (readonly [kind: string, attack: Attack])[] = [
  [
    'a bad Content-Length',
    (random, tag) => withHeaders(bare(tag), ['Content-Length', random.pick(LENGTHS)]),
  ],
  [
    'two Content-Lengths',
    (random, tag) =>
      withHeaders(
        bare(tag),
        ['Content-Length', random.pick(LENGTHS)],
        ['content-length', random.pick(LENGTHS)],
      ),
  ],
  [
    'chunks',
    (random, tag) => {
      const { body, ...request } = bare(tag);
      return withHeaders({ ...request, body: chunked(body, random) }, [
        'Transfer-Encoding',
        'chunked',
      ]);
    },
  ],
  [
    'chunks for what takes no body',
    (random) =>
      writeRequest({
        ...get(random.pick(BODILESS), [['Transfer-Encoding', 'chunked']]),
        body: random.chance(0.5) ? Buffer.from('ZZ\r\n') : chunked(Buffer.from('{}'), random),
      }),
  ],
  [
    'Content-Length and Transfer-Encoding',
    (random, tag) => {
      const { body, ...request } = bare(tag);
      const length: [string, string] = ['Content-Length', String(body.length)];
      const coding: [string, string] = ['Transfer-Encoding', random.pick(CODINGS)];
      const both = random.chance(0.5) ? [length, coding] : [coding, length];
      return withHeaders(
        { ...request, body: random.chance(0.5) ? body : chunked(body, random) },
        ...both,
      );
    },
  ],
  [
    'a Transfer-Encoding',
    (random, tag) => {
      const { body, ...request } = bare(tag);
      const codings = [random.pick(CODINGS), ...random.some(2, () => random.pick(CODINGS))];
      return withHeaders(
        { ...request, body: chunked(body, random) },
        ...codings.map((coding): [string, string] => ['Transfer-Encoding', coding]),
      );
    },
  ],
  [
    'methods',
    (random, tag) => writeRequest({ ...validRequest(random, tag), method: random.pick(METHODS) }),
  ],
  [
    'targets',
    (random, tag) => writeRequest({ ...validRequest(random, tag), target: random.pick(TARGETS) }),
  ],
  [
    'targets of any bytes',
    (random) => writeRequest(get(`/v1/pets?${utf8AsLatin1(hostileText(random))}`)),
  ],
  [
    'versions',
    (random, tag) => {
      const text = writeRequest(validRequest(random, tag)).toString('latin1');
      return Buffer.from(text.replace('HTTP/1.1', random.pick(VERSIONS)), 'latin1');
    },
  ],
  [
    'line ends',
    (random, tag) => {
      const lines = writeRequest(validRequest(random, tag)).toString('latin1').split('\r\n');
      const rate = random.pick([0.1, 1]);
      const text = lines
        .map((line) => line + (random.chance(rate) ? random.pick(LINE_ENDS) : '\r\n'))
        .join('');
      return Buffer.from(text, 'latin1');
    },
  ],
  [
    'header fields',
    (random, tag) => {
      const [line = '', ...rest] = writeRequest(validRequest(random, tag))
        .toString('latin1')
        .split('\r\n');
      const fields = [random.pick(FIELDS), ...random.some(3, () => random.pick(FIELDS))];
      return Buffer.from([line, ...fields, ...rest].join('\r\n'), 'latin1');
    },
  ],
  [
    'large headers',
    (random, tag) => {
      const size = random.pick([7000, 8100, 16_300, 16_400, 70_000]);
      const [name, value, count] = random.pick([
        ['X', 'y'.repeat(size), 1],
        ['Y'.repeat(size), 'x', 1],
        ['X', 'y', random.integer(50, 3000)],
        ['Cookie', 'a=b', random.integer(50, 1500)],
      ] as const);
      const headers = Array.from({ length: count }, (_, index): [string, string] => [
        `${name}${index}`,
        value,
      ]);
      return withHeaders(validRequest(random, tag), ...headers);
    },
  ],
  [
    'no Host',
    (_random, tag) => writeRequest({ ...bare(tag), headers: bare(tag).headers.slice(1) }),
  ],
  [
    'a body that comes short, or goes on',
    (random, tag) => {
      const { body, ...request } = bare(tag);
      const length = Math.max(0, body.length + random.integer(-30, 30));
      return withHeaders({ ...request, body }, ['Content-Length', String(length)]);
    },
  ],
  [
    'other protocols',
    (random) =>
      Buffer.from(
        random.pick([
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
          '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
          'SSH-2.0-x\r\n',
          '\0'.repeat(1000),
          '\r\n'.repeat(3000),
          'GET /\r\n\r\n',
          'PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n',
          'x'.repeat(100_000),
        ]),
        'latin1',
      ),
  ],
];
