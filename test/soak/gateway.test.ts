import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import { type Gateway, startGateway } from '../../soak/gateway.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

// Each starts several processes, one after the other, and the tests run side by side.
vi.setConfig({ testTimeout: 90_000 });

const NEVER = new AbortController().signal;

/** A gateway whose processes load this first, and what is told of them. */
async function startWith(preloaded = ''): Promise<Gateway & { readonly told: readonly string[] }> {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(preloaded)}`;
  const told: string[] = [];
  const events = {
    probed: () => undefined,
    failed: (what: string) => {
      told.push(what);
    },
  };
  const gateway = await startGateway({ DATABASE_URL: databaseUrl, NODE_OPTIONS }, events, NEVER);
  return { ...gateway, told };
}

test.concurrent('a gateway is restarted at its address, and nothing is told', async () => {
  await using gateway = await startWith();
  for (const kind of ['SIGTERM', 'SIGKILL'] as const) {
    await gateway.restart(kind, NEVER);
    expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
  }
  await gateway[Symbol.asyncDispose]();
  await expect(fetch(`${gateway.url}/livez`)).rejects.toThrow('fetch failed');
  expect(gateway.told).toEqual([]);
});

test.concurrent('a gateway that ends with another code than 0 is told', async () => {
  await using gateway = await startWith("process.once('SIGTERM', () => process.exit(3))");
  await gateway[Symbol.asyncDispose]();
  expect(gateway.told).toEqual([
    expect.stringMatching(/^told to stop, the gateway ended with 3 after /),
  ]);
});

test.concurrent('a gateway that does not heed SIGTERM is killed after 10 s, and told', async () => {
  await using gateway = await startWith(`
    const { on } = process;
    process.on = function (event, ...listener) {
      return on.call(this, event, ...(event === 'SIGTERM' ? [() => {}] : listener));
    }`);
  await gateway[Symbol.asyncDispose]();
  expect(gateway.told).toEqual([
    expect.stringMatching(/^told to stop, the gateway ended with SIGKILL after [1-9]\d+\.\d s/),
  ]);
});

test.concurrent('a gateway that ends by itself is told, with its last words', async () => {
  await using folder = await temporaryDirectory();
  const file = join(folder.path, 'end');
  await using gateway = await startWith(`
    import { existsSync } from 'node:fs';
    setInterval(() => {
      if (existsSync(${JSON.stringify(file)})) {
        console.error('last words');
        process.exit(1);
      }
    }, 20)`);
  await writeFile(file, '');
  const told = [expect.stringMatching(/^the gateway ended by itself: .*last words/)];
  await expect.poll(() => gateway.told).toEqual(told);
  await gateway[Symbol.asyncDispose]();
  expect(gateway.told).toEqual(told);
});

test.concurrent('a restart that takes too long is given up, and its process ended', async () => {
  // Only the first is started at any free port; the others wait for ever.
  await using gateway = await startWith(`
    if (process.env.PORT !== '0') {
      process.on('SIGTERM', () => process.exit(4));
      setInterval(() => {}, 1000);
      await new Promise(() => {});
    }`);
  await expect(gateway.restart('SIGKILL', AbortSignal.timeout(2000))).rejects.toThrow(/timeout/);
  expect(gateway.told).toEqual([
    expect.stringMatching(/^told to stop, the gateway ended with (?:4|SIGTERM) after /),
  ]);
});

test.concurrent('a gateway that does not start again is started once more', async () => {
  await using folder = await temporaryDirectory();
  const file = join(folder.path, 'restarted');
  // The second one ends at its start.
  await using gateway = await startWith(`
    import { existsSync, writeFileSync } from 'node:fs';
    const file = ${JSON.stringify(file)};
    if (process.env.PORT !== '0' && !existsSync(file)) {
      writeFileSync(file, '');
      console.error('not yet');
      process.exit(1);
    }`);
  await gateway.restart('SIGTERM', NEVER);
  expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
  expect(gateway.told).toEqual(['Error: the gateway ended at its start: not yet']);
});
