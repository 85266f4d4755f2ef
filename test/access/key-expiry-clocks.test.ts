import { keys } from '../support/store-commands.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { createKey } from '../support/keys.ts';
import { runInProcess } from '../support/command.ts';
import { startGateway } from '../support/gateway.ts';

const HOUR = 3_600_000;

const { request, database, tables, databaseUrl } = await startGateway();

afterEach(() => {
  vi.useRealTimers();
});

/** Sets the clock of this process, which the database doesn't go by. */
function setClock(difference: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + difference });
}

async function run(...args: string[]): Promise<string> {
  const { stdout, code } = await runInProcess(keys, args, { env: { DATABASE_URL: databaseUrl } });
  expect(code).toBe(0);
  return stdout.trimEnd();
}

function recordOf(key: string) {
  return tables.apiKey.findUniqueOrThrow({ where: { hash: hashApiKey(key) } });
}

async function keyUntil(name: string, time: number): Promise<string> {
  return (await createKey(database, { name, expiresAt: new Date(time) })).key;
}

test.each([-HOUR, HOUR])(
  'a service whose clock is off by %i ms lets a key in until it expires, and no longer',
  async (difference) => {
    const now = Date.now();
    const valid = await keyUntil('valid', now + HOUR / 2);
    const expired = await keyUntil('expired', now - HOUR / 2);
    setClock(difference);
    const statuses = [valid, expired].map(async (key) => {
      const headers = { Authorization: `Bearer ${key}` };
      return (await request('/v1/pets', { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 401]);
    const list = await run('list');
    expect(list).toMatch(/ valid +\S+ +\S+ .* valid$/m);
    expect(list).toMatch(/ expired +\S+ +\S+ .* expired$/m);
  },
);

test.each([-HOUR, HOUR])(
  'keys made and rotated where the clock is off by %i ms live as long as they should',
  async (difference) => {
    const now = Date.now();
    setClock(difference);
    const key = await run('create', 'visitor', '--expires', '12h');
    const { id } = await recordOf(key);
    const successor = await run('rotate', String(id), '--grace', '6h');
    vi.useRealTimers();
    const lifetimes = [await recordOf(successor), await recordOf(key)].map(
      ({ expiresAt }) => ((expiresAt?.getTime() ?? 0) - now) / HOUR,
    );
    expect(lifetimes).toEqual([expect.closeTo(12, 1), expect.closeTo(6, 1)]);
  },
);
