import { expect, inject, test } from 'vitest';
import { mistakenVariables } from '../../packages/gateway/src/config/config.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startService } from '../support/service.ts';

test.each([
  ['RATE_LIMITS', 'RATE_LIMIT'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['CORS-ORIGINS', 'CORS_ORIGINS'],
  ['WORKER', 'WORKERS'],
])('%s is probably meant to be %s', (variable, setting) => {
  expect(mistakenVariables({ [variable]: '1', PATH: '/bin' })).toEqual([{ variable, setting }]);
});

test.each([
  'PORT',
  'RATE_LIMIT',
  'HOSTNAME',
  'LIMITS',
  'DATABASE',
  'LANG',
  'DATABASE_URL_OF_TESTS',
])('%s is not taken for a mistake', (variable) => {
  expect(mistakenVariables({ [variable]: '1' })).toEqual([]);
});

test('a start warns of a variable that is probably meant to be a setting', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using service = await startService({ DATABASE_URL: databaseUrl, RATE_LIMITS: '10/60s' });
  const warnings = service.child
    .stdout()
    .split('\n')
    .filter((line) => line.includes('"level":40'));
  expect(warnings.map((line): unknown => JSON.parse(line))).toEqual([
    expect.objectContaining({
      variable: 'RATE_LIMITS',
      msg: 'there is no such setting: did you mean RATE_LIMIT?',
    }),
  ]);
});
