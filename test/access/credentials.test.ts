import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { startGateway } from '../support/gateway.ts';
import {
  askedOperations,
  BAD_KEY,
  notRefused,
  NO_KEY,
  storeAskedDocument,
  type Attempt,
} from '../support/refusals.ts';

const gateway = await startGateway();
const { key, tables } = gateway;
await storeAskedDocument(gateway);

const EXPIRED = { ...BAD_KEY, message: 'The API key expired on 1970-01-01 at 00:00 UTC' };
const otherStore = await startGateway();

const bearer = (what: string, token: string): Attempt => ({
  what,
  headers: { Authorization: `Bearer ${token}` },
  told: BAD_KEY,
});

/** For what there is very much of: one operation of each surface. All go by the same door, which the other tests prove. */
const ONE_OF_EACH = ['REST', 'GraphQL'].flatMap(
  (surface) =>
    askedOperations.find((asked) => asked.surface === surface && asked.method === 'POST') ?? [],
);

/** As texts of characters of one byte each, which is how a header is read. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

test('the walk has what reads and what writes, stored documents and HEAD', () => {
  const asked = askedOperations.map(({ method, path, body = '' }) => `${method} ${path} ${body}`);
  expect(asked).toEqual(
    expect.arrayContaining([
      'POST /v1/pets {"name":"Rex","categoryId":1}',
      'HEAD /v1/pets ',
      `HEAD /graphql?query=${encodeURIComponent('query { __typename }')} `,
      expect.stringMatching(/^POST \/graphql \{"documentId"/),
      expect.stringMatching(/^POST \/graphql \{"query":"query \{ __schema/),
    ]),
  );
});

test('a key of which one character is another opens nothing, whichever it is', async () => {
  const attempts = Array.from(key, (character, position) => {
    const step = /[0-8A-Ya-y]/.test(character) ? 1 : -1;
    const other = String.fromCharCode(character.charCodeAt(0) + step);
    const altered = key.slice(0, position) + other + key.slice(position + 1);
    return bearer(`character ${position}`, altered);
  });
  expect(await notRefused(gateway, attempts, ONE_OF_EACH)).toEqual([]);
});

test('a key that is cut short opens nothing, wherever it is cut', async () => {
  const lengths = Array.from({ length: key.length - 1 }, (_, index) => index + 1);
  const attempts = [
    ...lengths.map((length) => bearer(`${length} characters`, key.slice(0, length))),
    ...lengths.map((length) => bearer(`without the first ${length}`, key.slice(length))),
  ];
  expect(await notRefused(gateway, attempts, ONE_OF_EACH)).toEqual([]);
});

test.each([
  ['tabs, and spaces with them', ['\t', ' \t', '\t ']],
  ['bytes that are spaces elsewhere', ['\u00a0', '\u0085', '\u00ad', '\u00ff']],
  ['invisible characters', ['\ufeff', '\u200b', '\u2028', '\u3000', '\u2060'].map(utf8)],
  [
    'marks',
    [',', ';', '=', '"', "'", '.', '/', '\\', '%', '%20', '%00', '\\0', '+', '=='].map(utf8),
  ],
])('a key that is padded with %s opens nothing', async (_what, pads) => {
  expect(
    await notRefused(
      gateway,
      pads.flatMap((pad) => {
        const name = JSON.stringify(pad);
        return [
          bearer(`${name} before`, pad + key),
          bearer(`${name} within`, key.slice(0, 20) + pad + key.slice(20)),
          // What is white space at the end is no part of a header (RFC 9110, 5.5).
          ...(/^[\t ]+$/.test(pad) ? [] : [bearer(`${name} behind`, key + pad)]),
        ];
      }),
      ONE_OF_EACH,
    ),
  ).toEqual([]);
});

test('a key that is written otherwise, or is another thing of the same key, opens nothing', async () => {
  const hash = hashApiKey(key);
  expect(
    await notRefused(gateway, [
      bearer('in lower case', key.toLowerCase()),
      bearer('in upper case', key.toUpperCase()),
      bearer('its case swapped', key.replaceAll(/[a-z]/gi, swapCase)),
      bearer('twice', key + key),
      bearer('twice with a space', `${key} ${key}`),
      bearer('twice with a comma', `${key}, ${key}`),
      bearer('a list of one', `${key},`),
      bearer('backwards', Array.from(key).toReversed().join('')),
      bearer('in full width', utf8(key.replaceAll(/[!-~]/g, fullWidth))),
      bearer('percent-encoded', key.replace('_', '%5F')),
      bearer('in base64', btoa(key)),
      bearer('as of Basic', btoa(`key:${key}`)),
      bearer('its hash in hexadecimal digits', hash.toString('hex')),
      bearer('its hash in base64', hash.toString('base64')),
      bearer('its hash as bytes', `\\x${hash.toString('hex')}`),
      bearer('without the prefix', key.slice(4)),
      bearer('with the prefix twice', `asg_${key}`),
      bearer('a pattern', 'asg_%'),
      bearer('SQL', "' OR '1'='1"),
      bearer('a name that objects have', '__proto__'),
      bearer('another one', 'constructor'),
      bearer('its id', '1'),
      bearer('null', 'null'),
      bearer('undefined', 'undefined'),
      bearer('true', 'true'),
    ]),
  ).toEqual([]);
});

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

function fullWidth(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 0xfee0);
}

test('a key that is not, or no longer, one of this store opens nothing', async () => {
  const [expired, revoked] = [generateApiKey(), generateApiKey()];
  await tables.apiKey.createMany({
    data: [
      { name: 'expired', hash: hashApiKey(expired), expiresAt: new Date(0) },
      { name: 'revoked', hash: hashApiKey(revoked), revokedAt: new Date() },
    ],
  });
  expect(
    await notRefused(gateway, [
      bearer('of nobody', generateApiKey()),
      bearer('of another store', otherStore.key),
      { ...bearer('expired', expired), told: EXPIRED },
      bearer('revoked', revoked),
    ]),
  ).toEqual([]);
});

test.each([
  ['no scheme', (valid: string) => valid],
  ['an empty scheme', (valid: string) => ` ${valid}`],
  ['no space behind it', (valid: string) => `Bearer${valid}`],
  ['a tab behind it', (valid: string) => `Bearer\t${valid}`],
  ['an equals sign behind it', (valid: string) => `Bearer=${valid}`],
  ['a colon behind it', (valid: string) => `Bearer: ${valid}`],
  ['a scheme before', (valid: string) => `Basic Bearer ${valid}`],
  ['another scheme', (valid: string) => `Token ${valid}`],
  ['a space of another kind behind it', (valid: string) => `Bearer\u00a0${valid}`],
  ['Digest', (valid: string) => `Digest username="${valid}"`],
  ['a letter of another alphabet', (valid: string) => `${utf8('Вearer')} ${valid}`],
  ['a mark on its last letter', (valid: string) => `${utf8('Bearer\u0307')} ${valid}`],
])('a good key with %s opens nothing', async (what, header) => {
  expect(
    await notRefused(gateway, [{ what, headers: { Authorization: header(key) }, told: NO_KEY }]),
  ).toEqual([]);
});
