import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { StartupFailure } from '../src/startup-failure.ts';

test.each(['65536', '-1', '1.5', ' 80', '80 ', '8e1', '0x50', '80\n'])(
  'PORT=%j is refused',
  (port) => {
    expect(() => readConfig({ PORT: port })).toThrow(
      new StartupFailure(
        `PORT must be an integer between 0 and 65535, not ${JSON.stringify(port)}`,
      ),
    );
  },
);

test.each([
  ['0', 0],
  ['80', 80],
  ['65535', 65_535],
])('PORT=%s is a port', (port, expected) => {
  expect(readConfig({ PORT: port }).port).toBe(expected);
});

test.each(['mysql://h/db', 'h/db', 'postgresql'])('DATABASE_URL=%s is refused', (url) => {
  expect(() => readConfig({ DATABASE_URL: url })).toThrow(
    new StartupFailure(
      'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
    ),
  );
});

test('a variable that is empty has its default', () => {
  const empty = { PORT: '', HOST: '', DATABASE_URL: '', DATA_DIR: '', LOG_LEVEL: '' };
  expect(readConfig(empty)).toEqual(readConfig({}));
  expect(readConfig({})).toEqual({
    port: 4000,
    host: '127.0.0.1',
    databaseUrl: undefined,
    dataDirectory: join(import.meta.dirname, '..', 'data'),
    logLevel: 'info',
  });
});
