import { redactKeys } from '@store-gateway/ops';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { generateApiKey, keyDatabase } from '../src/keys/api-keys.ts';

test('the log redacts the keys of a key database', () => {
  // A prefix that no other test registers, as their files share the log.
  const key = generateApiKey('vault_');
  expect(redactKeys(key)).toBe(key);
  // It doesn't connect.
  keyDatabase(new Pool(), 'vault_');
  expect(redactKeys(`GET /books?key=${key}`)).toBe('GET /books?key=vault_…');
});
