import { FORBIDDEN } from './exchange.ts';
import { CODINGS } from './framing-pieces.ts';
import type { Random } from './random.ts';
import { get, post } from './valid-requests.ts';
import { writeRequest, type WireRequest } from './wire-request.ts';

export interface Smuggling {
  readonly bytes: Buffer;
  /** Undefined if the framing is unsound: then it is refused, or ends the connection. */
  readonly methods: readonly string[] | undefined;
}

type Field = WireRequest['headers'][number];

const NONE: Field = ['Content-Length', '0'];
const CHUNKED: Field = ['Transfer-Encoding', 'chunked'];
const LAST_CHUNK = '0\r\n\r\n';

/** Adds an animal that must not be, if anyone takes it for a request. */
function hidden(tag: string): Buffer {
  const name = `${FORBIDDEN} ${tag}`;
  return writeRequest(post('/v1/pets', JSON.stringify({ name, categoryId: 1 })));
}

function lengthOf(body: Buffer): Field {
  return ['Content-Length', String(body.length)];
}

/** Of the request around it: neither adds anything. */
function withBody(random: Random, body: Buffer, ...fields: Field[]): WireRequest {
  const around = get('/v1/pets?limit=1', [['Content-Type', 'application/json'], ...fields]);
  return { ...around, method: random.pick(['GET', 'POST', 'HEAD']), body };
}

function sound(request: WireRequest): Smuggling {
  return { bytes: writeRequest(request), methods: [request.method] };
}

function unsound(random: Random, body: Buffer, ...fields: Field[]): Smuggling {
  const some = random.chance(0.5) ? fields : fields.toReversed();
  return { bytes: writeRequest(withBody(random, body, ...some)), methods: undefined };
}

/** In one chunk or in two. */
function inChunks(random: Random, body: Buffer): string {
  const text = body.toString('latin1');
  const cut = random.pick([text.length, random.integer(1, text.length - 1)]);
  return [text.slice(0, cut), text.slice(cut)]
    .filter((piece) => piece !== '')
    .map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    .join('');
}

/**
 * Attacks that hide a request where one who frames the bytes rightly sees none (RFC 9112, 6.3 and 11.2): in a body,
 * or behind framing that is to be refused.
 */
export const SMUGGLED_REQUESTS: readonly (readonly [
  kind: string,
  attack: (random: Random, tag: string) => Smuggling,
])[] = [
  [
    'a request in a body',
    (random, tag) => sound(withBody(random, hidden(tag), lengthOf(hidden(tag)))),
  ],
  [
    'a request in chunks',
    (random, tag) => {
      const trailer = random.pick(['', 'X: y\r\n']);
      const body = `${inChunks(random, hidden(tag))}0\r\n${trailer}\r\n`;
      return sound(withBody(random, Buffer.from(body, 'latin1'), CHUNKED));
    },
  ],
  [
    // Which no trailer may hold (RFC 9110, 6.5.1).
    'a request in chunks, and framing in the trailer',
    (random, tag) => {
      const [name, value] = random.pick([
        NONE,
        CHUNKED,
        ['Transfer-Encoding', 'identity'],
      ] as const);
      const body = `${inChunks(random, hidden(tag))}0\r\n${name}: ${value}\r\n\r\n`;
      return unsound(random, Buffer.from(body, 'latin1'), CHUNKED);
    },
  ],
  [
    'a request behind the last chunk, and within the length',
    (random, tag) => {
      const body = Buffer.concat([Buffer.from(LAST_CHUNK), hidden(tag)]);
      return unsound(random, body, lengthOf(body), CHUNKED);
    },
  ],
  [
    'a request in a chunk, and behind the length',
    (random, tag) => {
      const body = inChunks(random, hidden(tag));
      const length = String(body.indexOf('\r\n') + 2);
      return unsound(
        random,
        Buffer.from(body + LAST_CHUNK, 'latin1'),
        ['Content-Length', length],
        CHUNKED,
      );
    },
  ],
  [
    'a request within one length, and behind another',
    (random, tag) => unsound(random, hidden(tag), NONE, lengthOf(hidden(tag))),
  ],
  [
    'a request behind a field name with a space',
    (random, tag) => {
      const body = Buffer.concat([Buffer.from(LAST_CHUNK), hidden(tag)]);
      const [[name, value], length] = random.pick([
        [NONE, lengthOf(body)],
        [lengthOf(body), NONE],
        [CHUNKED, lengthOf(body)],
      ] as const);
      return unsound(random, body, [`${name} `, value], length);
    },
  ],
  [
    'a request behind a coding that is not chunked at last',
    (random, tag) => {
      const coding = random.pick(CODINGS.filter((name) => !/(?:^|[, \v])chunked *$/i.test(name)));
      return unsound(random, hidden(tag), ['Transfer-Encoding', coding], NONE);
    },
  ],
];
