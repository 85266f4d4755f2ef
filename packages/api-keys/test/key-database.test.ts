import { redactKeys } from '@store-gateway/log/redact-keys';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { generateApiKey } from '../src/api-key.ts';
import { keyDatabase } from '../src/key-database.ts';

test('the log has no key of a database of keys', () => {
  const key = generateApiKey('books_');
  expect(redactKeys(key)).toBe(key);
  // It connects to nothing yet.
  keyDatabase(new Pool(), 'books_');
  expect(redactKeys(`GET /books?key=${key}`)).toBe('GET /books?key=books_…');
});
