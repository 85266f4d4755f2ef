import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { startGateway } from '../support/gateway.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { sendBytes } from '../support/http-answers.ts';

const { url, key, post } = await startGateway();
const log = captureLog();

let requests = 0;

/** Requests a target without normalizing it. Resolves to its log line, which is written after the response. */
async function logged(target: string): Promise<string> {
  requests += 1;
  const requestId = `request-${requests}:`;
  await sendBytes(
    url,
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${requestId}\r\n\r\n`,
  );
  return log.line((line) => line.includes(`"requestId":"${requestId}"`));
}

const ESCAPE = /%([\da-f]{2})|\\+u([\da-f]{4})/gi;

/** Returns the pieces of the key's secret that can be read in a text, however often it is decoded. */
function secretsIn(text: string): string[] {
  const found = new Set<string>();
  for (let read = text, last = ''; read !== last;) {
    for (let start = 4; start + 8 <= key.length; start += 1) {
      const piece = key.slice(start, start + 8);
      if (read.includes(piece)) {
        found.add(piece);
      }
    }
    last = read;
    read = read.replaceAll(ESCAPE, (_escape, byte?: string, unit?: string) =>
      String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16)),
    );
  }
  return [...found];
}

const percent = (text: string) =>
  Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
/** A few encodings; the property-based test below covers all others. */
const ENCODED: Readonly<Record<string, string>> = {
  'its underscore twice': key.replace('_', '%255F'),
  'all of it': percent(key),
  'all of it twice': percent(percent(key)),
  'all of it after half an escape': `%4${percent(key)}`,
  'its prefix as in JSON': key.replace('asg_', '\\u0061\\u0073\\u0067\\u005F'),
};

/** Paths that contain a text, and how they are logged if that text is a key. */
const PATHS = (text: string) => [
  [`/${text}`, '/asg_…'],
  [`/v1/pets/${text}`, '/v1/pets/asg_…'],
  [`/v1/${text}/x?y`, '/v1/asg_…/x'],
  [`/docs/a+${text}+b`, '/docs/a+asg_…+b'],
  [`http://x/${text}`, '/asg_…'],
];

test.each(Object.entries(ENCODED))(
  'a key in a path is logged as asg_… with %s encoded',
  async (_what, encoded) => {
    for (const [target = '', path = ''] of PATHS(encoded)) {
      const line = await logged(target);
      expect(secretsIn(line)).toEqual([]);
      expect(line).toContain(`"path":"${path}"`);
    }
  },
);

test('an encoded path without a key is logged as it was sent', async () => {
  for (const path of ['/asg%5F1234567', '/a%20b%', '/%61sg%5Fnobody', '/%u0061', '/100%25/%zz']) {
    expect(await logged(path)).toContain(`"path":"${path}"`);
  }
});

/** Documents and variables whose errors quote the text that was sent. */
const REPEATING = (text: string) => [
  { query: `{ pets(limit: ${JSON.stringify(text)}) { id } }` },
  { query: `{ pets ${JSON.stringify(text)} }` },
  { query: 'query ($limit: Int!) { pets(limit: $limit) { id } }', variables: { limit: text } },
  {
    query: 'query ($limit: Int!) { pets(limit: $limit) { id } }',
    variables: { limit: { [text]: 1 } },
  },
];

const FORMS = {
  percent: (code: string) => [`%${code}`, `%${code.toUpperCase()}`],
  unicode: (code: string) => [`\\u00${code}`],
};

/**
 * Generates encodings of a text: each character is plain or encoded, and each character of an encoding may be encoded
 * again. The letters of a JSON escape are never JSON escapes themselves, because a JSON string does not allow that.
 */
function encodedText(
  text: string,
  depth: number,
  forms: readonly (keyof typeof FORMS)[] = ['percent', 'unicode'],
): fc.Arbitrary<string> {
  const characters = Array.from(text, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0');
    const encoded = (depth === 0 ? [] : forms).flatMap((form) =>
      FORMS[form](code).map((each) =>
        encodedText(each, depth - 1, form === 'unicode' ? ['percent'] : forms),
      ),
    );
    return fc.oneof({ arbitrary: fc.constant(character), weight: 4 }, ...encoded);
  });
  return fc.tuple(...characters).map((parts) => parts.join(''));
}

/** Texts before a key that may become part of an escape when the key is decoded. */
const before = fc
  .array(fc.constantFrom('%', '%4', '4', 'a', '25', 'u', '\\', '\\u00', '/', '_', 'sg_', '-'), {
    maxLength: 5,
  })
  .map((pieces) => pieces.join(''));

test('neither the log nor errors contain a key, however it is encoded', async () => {
  let repeated = 0;
  await fc.assert(
    fc.asyncProperty(before, encodedText(key, 2), fc.nat(3), async (start, encoded, place) => {
      const text = `${start}${encoded}`;
      expect(secretsIn(await logged(`/${text}`))).toEqual([]);
      const error = await post('/graphql', REPEATING(text)[place]);
      expect(error.text).toMatch(/^\{"errors":/);
      expect(secretsIn(error.text)).toEqual([]);
      repeated += error.text.includes('asg_…') ? 1 : 0;
    }),
    propertyRuns(200),
  );
  expect(repeated).toBeGreaterThan(0);
});
