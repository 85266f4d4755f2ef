import { generateApiKey, isApiKey } from '../support/store-database.ts';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { propertyRuns } from '../support/property-runs.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RUNS = propertyRuns(100);

const secrets = fc.string({
  unit: fc.constantFrom(...ALPHABET.split('')),
  minLength: 43,
  maxLength: 43,
});

/** The format, told a second time: whoever scans for leaked keys goes by it. */
function keyOf(secret: string): string {
  let sum = crc32(secret);
  let digits = '';
  while (digits.length < 6) {
    digits = ALPHABET.charAt(sum % 62) + digits;
    sum = Math.floor(sum / 62);
  }
  return `asg_${secret}${digits}`;
}

function numberOf(secret: string): bigint {
  return Array.from(secret).reduce((sum, digit) => sum * 62n + BigInt(ALPHABET.indexOf(digit)), 0n);
}

test('a key is asg_, 43 digits of its secret and 6 of their CRC-32, all base 62', () => {
  const keys = Array.from({ length: 200 }, generateApiKey);
  for (const key of keys) {
    expect(key).toMatch(/^asg_[0-9A-Za-z]{49}$/);
    expect(key).toBe(keyOf(key.slice(4, 47)));
    expect(isApiKey(key)).toBe(true);
  }
});

test('a secret is 256 bits, of which each is 0 in some keys and 1 in others; no two keys are alike', () => {
  const keys = Array.from({ length: 1000 }, generateApiKey);
  const numbers = keys.map((key) => numberOf(key.slice(4, 47)));
  expect(numbers.reduce((all, number) => all | number)).toBe(2n ** 256n - 1n);
  expect(numbers.reduce((all, number) => all & number)).toBe(0n);
  expect(new Set(keys).size).toBe(keys.length);
});

test('whatever has the form and the checksum is taken for a key', () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      expect(isApiKey(keyOf(secret))).toBe(true);
    }),
    RUNS,
  );
});

test('no key is one any more when a single character is another, missing or added', () => {
  const character = fc.oneof(
    fc.constantFrom(...ALPHABET.split(''), '_', ' ', '\n'),
    fc.string({ unit: anyCharacter }),
  );
  fc.assert(
    fc.property(secrets, fc.nat(53), character, (secret, position, other) => {
      const key = keyOf(secret);
      const [before, after] = [key.slice(0, position), key.slice(position + 1)];
      fc.pre(other !== key.charAt(position));
      expect(isApiKey(before + other + after)).toBe(false);
      fc.pre(other !== '');
      expect(isApiKey(before + other + key.slice(position))).toBe(false);
    }),
    propertyRuns(500),
  );
});

test('of a key that was made, the database holds the SHA-256 and nothing else', async () => {
  const { key, databaseUrl } = await startGateway();
  const rows = await everyRow(databaseUrl);
  const holding = (text: string) => rows.filter((row) => row.includes(text)).length;
  expect(holding(createHash('sha256').update(key).digest('hex'))).toBe(1);
  const secret = key.slice(4, 47);
  const forms = [secret, Buffer.from(secret).toString('hex'), numberOf(secret).toString(16)];
  expect(forms.map(holding)).toEqual([0, 0, 0]);
});

/** The rows of all tables as text, in which bytes are hexadecimal. */
async function everyRow(connectionString: string): Promise<string[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const tables = await client.query<{ table: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS table FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const rows: string[] = [];
    for (const { table } of tables.rows) {
      const result = await client.query<{ row: string }>(
        `SELECT t::text AS row FROM ${table} AS t`,
      );
      rows.push(...result.rows.map(({ row }) => row));
    }
    return rows;
  } finally {
    await client.end();
  }
}
