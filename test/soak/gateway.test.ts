import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import { startGateway } from '../../soak/gateway.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

// Each starts several processes.
vi.setConfig({ testTimeout: 90_000 });

const NEVER = new AbortController().signal;

/** A gateway whose processes run this script first, and the failures that it reports. */
async function startWith(script: string) {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;
  const failures: string[] = [];
  const events = {
    probed: () => undefined,
    failed: (what: string) => void failures.push(what),
  };
  const gateway = await startGateway({ DATABASE_URL: databaseUrl, NODE_OPTIONS }, events, NEVER);
  return { ...gateway, failures };
}

test.each([
  [
    'ends with another code than 0',
    "process.once('SIGTERM', () => process.exit(3))",
    /^told to stop, the gateway ended with 3 after /,
  ],
  [
    'does not end within 10 s of SIGTERM',
    `const { on } = process;
    process.on = function (event, ...listener) {
      return on.call(this, event, ...(event === 'SIGTERM' ? [() => {}] : listener));
    }`,
    /^told to stop, the gateway ended with SIGKILL after [1-9]\d+\.\d s/,
  ],
] as const)('a gateway that %s is reported', async (_what, script, how) => {
  await using gateway = await startWith(script);
  await gateway[Symbol.asyncDispose]();
  expect(gateway.failures).toEqual([expect.stringMatching(how)]);
});

test('a gateway that ends by itself is reported with its last words', async () => {
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
  const failures = [expect.stringMatching(/^the gateway ended by itself: .*last words/)];
  await expect.poll(() => gateway.failures).toEqual(failures);
  await gateway[Symbol.asyncDispose]();
  expect(gateway.failures).toEqual(failures);
});
