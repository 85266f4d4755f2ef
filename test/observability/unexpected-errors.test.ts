import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { environmentOf } from '../support/changed-sources.ts';
import { openPost } from '../support/node-request.ts';
import { runEntry } from '../support/process.ts';
import {
  firstKey,
  logWithoutDelays,
  startPatientService,
  type Service,
} from '../support/service.ts';
import { newDatabase } from '../support/new-database.ts';

/** The environment of a process that does something whenever it gets SIGUSR2. */
function onSIGUSR2(code: string): NodeJS.ProcessEnv {
  const preload = `process.on('SIGUSR2', () => { ${code} });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
}

/** The lines of a log that tell why a process ended by itself. */
function fatalLines(log: string): unknown[] {
  const lines = log.split('\n').filter((line) => line.includes('"level":60'));
  return lines.map((line): unknown => JSON.parse(line));
}

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

/** Has it fail, by what it does on SIGUSR2, while a POST is under way, which it answers nevertheless. */
async function failUnderWay({ child, url }: Pick<Service, 'child' | 'url'>): Promise<void> {
  const begun = await openPost({ url, key: await firstKey({ child }) }, '/v1/pets');
  child.kill('SIGUSR2');
  await child.line('stdout', (line) => line.includes('"level":60'));
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    begun.once('response', resolve).once('error', reject);
  });
  begun.end('{"name":"Rex","categoryId":1}');
  const answer = await response;
  expect([answer.statusCode, await text(answer)]).toEqual([201, restAnimal({ id: 1 })]);
}

test('an unhandled rejection is logged in one line, and shuts the process down', async () => {
  const rejection = onSIGUSR2('Promise.reject(new TypeError("boom"))');
  await using service = await startPatientService(rejection);
  await service.child.line('stderr', (line) => line.startsWith('Create a key'));
  const greeting = service.child.stderr();
  await failUnderWay(service);

  expect(await service.child.exit).toEqual({ code: 1, signal: null });
  expect(fatalLines(service.child.stdout())).toEqual([BOOM]);
  expect(service.child.stderr()).toBe(greeting);
});

test('an uncaught exception is logged in one line, the only one with LOG_LEVEL=error', async () => {
  const env = { DATABASE_URL: await newDatabase(), LOG_LEVEL: 'error', PORT: '0' };
  const exception = onSIGUSR2('throw new TypeError("boom")');
  await using child = runEntry('src/main.ts', { env: { ...env, ...exception } });
  await child.line('stderr', (told) => told.startsWith('Create a key'));
  const greeting = child.stderr();
  const [, address = ''] = /(http:.*)\/graphql\n/.exec(greeting) ?? [];
  await failUnderWay({ child, url: address });

  expect(await child.exit).toEqual({ code: 1, signal: null });
  expect(child.stdout().trim().split('\n')).toHaveLength(1);
  expect(fatalLines(child.stdout())).toEqual([BOOM]);
  expect(child.stderr()).toBe(greeting);
});

test('an unexpected error at startup is logged in one line', async () => {
  const broken = environmentOf({
    file: 'src/commands/serve-requests.ts',
    text: 'createDatabaseHealth(database, complete)',
    replacement: "(() => { throw new TypeError('boom'); })()",
  });
  const env = { DATABASE_URL: await newDatabase(), PORT: '0', ...broken };
  await using child = runEntry('src/main.ts', { env });
  expect(await child.exit).toEqual({ code: 1, signal: null });
  expect(logWithoutDelays(child).trim().split('\n')).toHaveLength(1);
  expect(fatalLines(child.stdout())).toEqual([BOOM]);
  expect(child.stderr()).toBe('');
});
