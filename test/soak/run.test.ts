import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { FAULTS, type Fault } from '../../soak/faults.ts';
import { ANSWER_TIMEOUT, type Outcome } from '../../soak/outcome.ts';
import { type Results, soak } from '../../soak/soak.ts';
import { failuresOf } from '../../soak/verdict.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { measureStalls } from '../support/machine-stalls.ts';

const RATE = 30;

/** In milliseconds. */
const POLL_INTERVAL = 50;

// Each test fills a store first.
vi.setConfig({ testTimeout: 120_000 });

const QUIET = () => undefined;
const NEVER = new AbortController().signal;

function total({ figures }: Results, outcome: Outcome): number {
  return figures.reduce((sum, { requests }) => sum + requests[outcome], 0);
}

/** The length of a machine stall, in milliseconds, after which the service's own timeouts may expire. */
const STANDSTILL = 300;

/**
 * Removes from the results whatever the machine's stalls may have caused. `stalled` is their total and `longest` their
 * longest duration, in milliseconds.
 */
function withoutStalls(results: Results, stalled: number, longest: number): Results {
  const isExcused = (wrong: string) => {
    const [, status, text] = /: (\d+) after (\d+) ms/.exec(wrong) ?? [];
    const milliseconds = Number(text);
    const isRefusal = status === '503' && longest >= STANDSTILL;
    return (milliseconds > ANSWER_TIMEOUT || isRefusal) && milliseconds <= ANSWER_TIMEOUT + stalled;
  };
  return {
    ...results,
    recoveries: results.recoveries.map((recovery) =>
      Object.assign({}, recovery, { recovery: recovery.recovery - stalled }),
    ),
    wrong: results.wrong.filter((wrong) => !isExcused(wrong)),
  };
}

test('a soak of a healthy service reports no failure', async () => {
  await using stalls = await measureStalls();
  const began = performance.now();
  const killed = FAULTS.filter(({ name }) => name === 'gateway killed');
  const options = { minutes: 0.1, interval: 6, rate: RATE, databaseUrl: undefined };
  const results = await soak(options, killed, QUIET, NEVER);

  const stalled = await stalls.totalWithin(began);
  const longest = await stalls.longestSince(began);
  expect(failuresOf(withoutStalls(results, stalled, longest))).toEqual([]);
  const { figures, creates, recoveries } = results;
  const unanswered = total(results, 'unanswered');
  expect(total(results, 'good')).toBeGreaterThan(0);
  expect(unanswered).toBeGreaterThan(0);
  expect(recoveries).toMatchObject([{ fault: 'gateway killed' }]);
  expect(recoveries[0]?.refused).toBeGreaterThanOrEqual(unanswered);
  expect(creates.additions).toBeGreaterThan(0);
  expect(creates.acknowledged).toBe(creates.additions);
  expect(figures.some(({ rss = 0 }) => rss > 0)).toBe(true);
});

test('a soak reports lost, added and late animals and unexpected restarts', async () => {
  const databaseUrl = await emptyDatabase();
  const locks: Promise<void>[] = [];
  const faults: readonly Fault[] = [
    {
      name: 'a database that loses and adds animals',
      inject: async (_subject, signal) => {
        const client = new Client(databaseUrl);
        await client.connect();
        await client.query(`
          INSERT INTO pets (id, name, category_id, status) VALUES (0, 'Phantom', 1, 'sold');
          DELETE FROM pets WHERE id = 1`);
        const lose =
          "DELETE FROM pets WHERE id = (SELECT min(id) FROM pets WHERE name LIKE 'soak-%')";
        while ((await client.query(lose)).rowCount === 0) {
          await setTimeout(POLL_INTERVAL, undefined, { signal });
        }
        await client.end();
      },
    },
    { name: 'a fault that fails', inject: () => Promise.reject(new Error('no')) },
    {
      name: 'a lock that lasts for longer than is told',
      inject: async ({ store }) => {
        locks.push(store.lock(5000, NEVER));
      },
    },
    {
      name: 'a gateway that ends without excuse',
      inject: ({ gateway }, signal) => gateway.restart('SIGKILL', signal),
    },
  ];
  const options = { minutes: 20 / 60, interval: 5, rate: RATE, databaseUrl };
  const results = await soak(options, faults, QUIET, NEVER);
  await Promise.all(locks);

  expect(results.inconsistencies).toEqual([
    'nobody asked for Phantom',
    expect.stringMatching(/^soak-\d+, sent \d+ times and answered with \[\d+\], is there as \[\]$/),
    '1 of the first 100000 are missing',
  ]);
  const failures = failuresOf(results);
  expect(failures).toContainEqual(expect.stringContaining('a fault that fails: Error: no'));
  expect(failures).toContainEqual(
    expect.stringMatching(/^a lock .*: a request failed [\d,]+ ms after the repair/),
  );
  expect(total(results, 'unanswered')).toBe(0);
  expect(total(results, 'wrong')).toBeGreaterThan(0);
});
