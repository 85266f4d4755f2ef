import { redactKeys } from '@store-gateway/ops';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { generateApiKey, keyDatabase } from '../src/keys/api-keys.ts';

test('the log redacts the keys of a key database', () => {
  // No other test registers this prefix: all test files share the log.
  const key = generateApiKey('vault_');
  expect(redactKeys(key)).toBe(key);
  // The pool never connects.
  keyDatabase(new Pool(), 'vault_');
  expect(redactKeys(`GET /books?key=${key}`)).toBe('GET /books?key=vault_…');
});
