import { expect, test, vi } from 'vitest';
import { startGateway } from '../../soak/gateway.ts';
import { newDatabase } from '../support/new-database.ts';

// Each test starts several processes.
vi.setConfig({ testTimeout: 90_000 });

test.each([
  [
    'exits with a code other than 0',
    "process.once('SIGTERM', () => process.exit(3))",
    /^after the stop signal, the gateway exited with 3 after /,
  ],
  [
    'does not exit within 10 s of SIGTERM',
    `const { on } = process;
    process.on = function (event, ...listener) {
      return on.call(this, event, ...(event === 'SIGTERM' ? [() => {}] : listener));
    }`,
    /^after the stop signal, the gateway exited with SIGKILL after [1-9]\d+\.\d s/,
  ],
] as const)('a gateway that %s is reported', async (_what, script, how) => {
  const env = {
    DATABASE_URL: await newDatabase(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
  };
  const failures: string[] = [];
  const failed = (what: string) => void failures.push(what);
  const events = { probed: () => undefined, failed };
  const gateway = await startGateway(env, events, new AbortController().signal);
  await gateway[Symbol.asyncDispose]();
  expect(failures).toEqual([expect.stringMatching(how)]);
});
