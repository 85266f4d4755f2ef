import { redactKeys } from '@store-gateway/ops';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { generateApiKey, keyDatabase } from '../src/keys/api-keys.ts';

test('keyDatabase registers its key prefix, so the log redacts keys with that prefix', () => {
  // No other test registers this prefix: all test files share the log.
  const key = generateApiKey('vault_');
  expect(redactKeys(key)).toBe(key);
  // The pool never connects.
  keyDatabase(new Pool(), 'vault_');
  expect(redactKeys(`GET /books?key=${key}`)).toBe('GET /books?key=vault_…');
});
