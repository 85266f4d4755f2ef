import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { environmentOf } from '../support/changed-sources.ts';
import { endRequest, openPost } from '../support/node-request.ts';
import { runEntry } from '../support/process.ts';
import { firstKey, logOf } from '../support/service.ts';
import { newDatabase } from '../support/new-database.ts';

const BOOM: object = {
  level: 60,
  time: expect.any(Number) as unknown,
  err: {
    type: 'TypeError',
    message: 'boom',
    stack: expect.stringContaining('boom\n    at') as unknown,
  },
  msg: 'stopped by an unexpected error',
};

test.each([
  ['unhandled rejection', 'Promise.reject(new TypeError("boom"))'],
  ['uncaught exception', 'throw new TypeError("boom")'],
])(
  'an %s is logged in one line, the only one with LOG_LEVEL=error, and shuts the process down',
  async (_what, code) => {
    const preload = `process.on('SIGUSR2', () => { ${code} });`;
    const env = {
      DATABASE_URL: await newDatabase(),
      LOG_LEVEL: 'error',
      PORT: '0',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    };
    await using child = runEntry('src/main.ts', { env });
    await child.line('stderr', (told) => told.startsWith('Create a key'));
    const greeting = child.stderr();
    const [, url = ''] = /(http:.*)\/graphql\n/.exec(greeting) ?? [];
    // A request in flight is still answered.
    const begun = await openPost({ url, key: await firstKey({ child }) }, '/v1/pets');
    child.kill('SIGUSR2');
    await child.line('stdout', (line) => line.includes('"level":60'));
    const answer = await endRequest(begun, '{"name":"Rex","categoryId":1}');
    expect(answer).toMatchObject({ status: 201, text: restAnimal({ id: 1 }) });

    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(logOf({ child })).toEqual([BOOM]);
    expect(child.stderr()).toBe(greeting);
  },
);

test('an unexpected error at startup is logged in one line', async () => {
  const broken = environmentOf({
    file: 'src/commands/serve-requests.ts',
    text: 'createDatabaseHealth(database, complete)',
    replacement: "(() => { throw new TypeError('boom'); })()",
  });
  const env = { DATABASE_URL: await newDatabase(), PORT: '0', ...broken };
  await using child = runEntry('src/main.ts', { env });
  expect(await child.exit).toEqual({ code: 1, signal: null });
  // A slow start may be reported before the error.
  expect(logOf({ child }).filter(({ msg }) => msg !== 'still starting')).toEqual([BOOM]);
  expect(child.stderr()).toBe('');
});
