import { expect, test } from 'vitest';
import { StartupFailure } from '@store-gateway/ops';
import { readConfig } from '../../packages/gateway/src/config/config.ts';

test('DATABASE_REPLICA_URLS accepts URLs separated by spaces', () => {
  const env = { DATABASE_URL: 'postgresql://h/db' };
  const urls = ['postgresql://u:a,b@h1/db', 'postgresql://h2/db?sslmode=disable'];
  expect(readConfig({ ...env, DATABASE_REPLICA_URLS: ` ${urls.join('  ')}` })).toMatchObject({
    replicaUrls: urls,
  });
  expect(() =>
    readConfig({ ...env, DATABASE_REPLICA_URLS: 'postgresql://h/db mysql://u:secret@h/db' }),
  ).toThrow(
    new StartupFailure(
      'DATABASE_REPLICA_URLS must be a URL such as postgresql://user:password@host:5432/database',
    ),
  );
  expect(() => readConfig({ DATABASE_REPLICA_URLS: 'postgresql://h/db' })).toThrow(
    new StartupFailure('DATABASE_REPLICA_URLS needs DATABASE_URL, the URL of their primary'),
  );
});
