import { expect, test } from 'vitest';
import { redactKeys, redactKeysWith, redactTokens } from '../../src/log/redact-keys.ts';

redactKeysWith('asg_');
redactTokens();

const KEY = `asg_${'0123456789abcdefXYZ'.repeat(3)}`;
const percent = (text: string) =>
  Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');

test.each([
  ['as it is', KEY],
  ['percent-encoded', percent(KEY)],
  ['percent-encoded twice', percent(percent(KEY))],
  ['escaped as in JSON', KEY.replace('a', '\\u0061')],
  ['escaped as in JSON within JSON', KEY.replace('a', '\\\\u0061')],
  ['percent-encoded in part', `${KEY.slice(0, 20)}${percent(KEY.slice(20))}`],
])('a key is redacted: %s', (_how, key) => {
  expect(redactKeys(`GET /things/${key}?x=1 ${key}`)).toBe('GET /things/asg_…?x=1 asg_…');
});

test.each(['/a%20b%', '/asg%5F1234567', '/%u0061', '/100%25/%zz', 'asg_', 'no key'])(
  'what is no key stays as it is: %s',
  (text) => {
    expect(redactKeys(text)).toBe(text);
  },
);

const TOKEN = `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.${'c2ln-bmF0_dXJl'.repeat(6)}`;

test.each([
  ['as it is', TOKEN],
  ['percent-encoded', percent(TOKEN)],
  ['percent-encoded in part', `${TOKEN.slice(0, 30)}${percent(TOKEN.slice(30))}`],
  ['escaped as in JSON', TOKEN.replaceAll('.', '\\u002e')],
])('a JWT is redacted with its claims and signature: %s', (_how, token) => {
  expect(redactKeys(`GET /things/${token}?x=1 ${token}`)).toBe('GET /things/eyJ…?x=1 eyJ…');
});

test('a short text that begins as a JWT is none', () => {
  expect(redactKeys('GET /things?after=eyJpZCI6MTIzfQ')).toBe('GET /things?after=eyJpZCI6MTIzfQ');
});
