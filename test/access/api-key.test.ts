import { generateApiKey, isApiKey } from '../support/store-database.ts';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { anyCharacter, propertyRuns } from '../support/property-runs.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const secrets = fc.string({
  unit: fc.constantFrom(...ALPHABET.split('')),
  minLength: 43,
  maxLength: 43,
});

/** A second implementation of the key format, on which secret scanners rely. */
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

test('an API key is asg_, 256 random bits in 43 base-62 digits and their CRC-32 in 6', () => {
  const keys = Array.from({ length: 1000 }, generateApiKey);
  for (const key of keys) {
    expect(key).toMatch(/^asg_[0-9A-Za-z]{49}$/);
    expect(key).toBe(keyOf(key.slice(4, 47)));
    expect(isApiKey(key)).toBe(true);
  }
  const numbers = keys.map((key) => numberOf(key.slice(4, 47)));
  expect(numbers.reduce((all, number) => all | number)).toBe(2n ** 256n - 1n);
  expect(numbers.reduce((all, number) => all & number)).toBe(0n);
  expect(new Set(keys).size).toBe(keys.length);
});

test('a text with a key’s format and checksum is accepted; changing, removing or adding a character invalidates it', () => {
  const character = fc.oneof(
    fc.constantFrom(...ALPHABET.split(''), '_', ' ', '\n'),
    fc.string({ unit: anyCharacter }),
  );
  fc.assert(
    fc.property(secrets, fc.nat(53), character, (secret, position, other) => {
      const key = keyOf(secret);
      expect(isApiKey(key)).toBe(true);
      const [before, after] = [key.slice(0, position), key.slice(position + 1)];
      fc.pre(other !== key.charAt(position));
      expect(isApiKey(before + other + after)).toBe(false);
      fc.pre(other !== '');
      expect(isApiKey(before + other + key.slice(position))).toBe(false);
    }),
    propertyRuns(500),
  );
});

test('the database stores only the SHA-256 hash of an API key', async () => {
  const { key, database } = await startGateway();
  const rows = await everyRow(database);
  const holding = (text: string) => rows.filter((row) => row.includes(text)).length;
  expect(holding(createHash('sha256').update(key).digest('hex'))).toBe(1);
  const secret = key.slice(4, 47);
  const forms = [secret, Buffer.from(secret).toString('hex'), numberOf(secret).toString(16)];
  expect(forms.map(holding)).toEqual([0, 0, 0]);
});

/** The rows of all tables as text, with bytes in hexadecimal. */
async function everyRow(database: Gateway['database']): Promise<string[]> {
  const tables = await database.$queryRaw<{ table: string }[]>`
    SELECT format('%I.%I', table_schema, table_name) AS table FROM information_schema.tables
    WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`;
  const rows = await Promise.all(
    tables.map(({ table }) =>
      database.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM ${table} AS t`),
    ),
  );
  return rows.flat().map(({ row }) => row);
}
