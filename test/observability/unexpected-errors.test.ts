import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { runEntry } from '../support/process.ts';
import { beginPost, startService, stopping } from '../support/service.ts';
import { temporaryTree } from '../support/temporary-directory.ts';

const MESSAGE = 'stopped by an unexpected error';

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

const time: unknown = expect.any(Number);
const stack: unknown = expect.stringContaining('boom\n    at');

test.each([
  ['a rejection that nobody handles', 'Promise.reject(new TypeError("boom"))'],
  ['an exception that nobody catches', 'throw new TypeError("boom")'],
])('%s is one line of the log, and ends the process in order', async (_what, code) => {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using service = await startService({ DATABASE_URL: url, ...onSIGUSR2(code) });
  await service.child.line('stderr', (line) => line.startsWith('More keys'));
  const greeting = service.child.stderr();
  const begun = await beginPost(service, '/v1/pets');
  service.child.kill('SIGUSR2');
  await stopping(service);
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    begun.once('response', resolve).once('error', reject);
  });
  begun.end('{"name":"Rex","categoryId":1}');
  const answer = await response;
  expect([answer.statusCode, await text(answer)]).toEqual([
    201,
    '{"id":1,"name":"Rex","categoryId":1,"status":"available"}',
  ]);

  expect(await service.child.exit).toEqual({ code: 1, signal: null });
  expect(fatalLines(service.child.stdout())).toEqual([
    {
      level: 60,
      time,
      err: { type: 'TypeError', message: 'boom', stack },
      msg: MESSAGE,
    },
  ]);
  expect(service.child.stderr()).toBe(greeting);
});

test('an unexpected error while it starts is one line of the log', async () => {
  await using tree = await temporaryTree();
  await rm(join(tree.path, 'prisma', 'migrations'), { recursive: true });
  const env = { DATABASE_URL: await createDatabase(inject('postgresUrl')), PORT: '0' };
  await using child = runEntry('src/main.ts', { env, root: tree.path });
  expect(await child.exit).toEqual({ code: 1, signal: null });
  expect(child.stdout().trim().split('\n')).toHaveLength(1);
  expect(fatalLines(child.stdout())).toMatchObject([{ err: { code: 'ENOENT' }, msg: MESSAGE }]);
  expect(child.stderr()).toBe('');
});
