import { setImmediate as turnOfLoop } from 'node:timers/promises';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  integer,
  nat,
  record,
  type Arbitrary,
} from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { createFairQueue } from '../../src/fair/fair-queue.ts';

/** The number of pieces of work after which no client adds more. */
const PIECES = 400;

/** All times are in milliseconds of the simulated clock. */
const cost = integer({ min: 1, max: 20 });
const MAX_COST = 20;

interface Scenario {
  /** Clients that return repeatedly: the cost of their work, and how many pieces of work are done before they return. */
  readonly returning: readonly { readonly cost: number; readonly rest: number }[];
  /** The number of one-time clients that wait at any time. */
  readonly strangers: number;
  /** The costs of the strangers' work, used in rotation. */
  readonly costs: readonly number[];
  /** For each arrival, whether strangers come before returning clients. */
  readonly strangersFirst: readonly boolean[];
}

const scenarios: Arbitrary<Scenario> = record({
  returning: array(record({ cost, rest: nat({ max: 5 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
  strangers: integer({ min: 1, max: 8 }),
  costs: array(cost, { minLength: 1, maxLength: 10 }),
  strangersFirst: array(boolean(), { minLength: 1, maxLength: 10 }),
});

/** The longest wait of each returning client. */
async function longestWaits(
  { returning, strangers, costs, strangersFirst }: Scenario,
  classOf?: (client: string) => string | undefined,
): Promise<number[]> {
  let time = 0;
  let done = 0;
  let come = 0;
  const longest = returning.map(() => 0);
  const rests = returning.map(() => 0);
  const queue = createFairQueue({
    now: () => time,
    processorTime: () => time,
    ...(classOf && { classOf }),
  });
  const isComing = returning.map(() => true);
  let strangersWaiting = 0;

  const work = (milliseconds: number): void => {
    time += milliseconds;
    done += 1;
    if (done < PIECES) {
      arrive();
    }
  };
  const returners = (): void => {
    for (const [index, each] of returning.entries()) {
      if (isComing[index] === true) {
        if ((rests[index] ?? 0) > 0) {
          rests[index] = (rests[index] ?? 0) - 1;
        } else {
          isComing[index] = false;
          queue.run(`returning ${index}`, (waited) => {
            longest[index] = Math.max(longest[index] ?? 0, waited);
            isComing[index] = true;
            rests[index] = each.rest;
            work(each.cost);
          });
        }
      }
    }
  };
  const newcomers = (): void => {
    while (strangersWaiting < strangers) {
      const number = (come += 1);
      strangersWaiting += 1;
      queue.run(`stranger ${number}`, () => {
        strangersWaiting -= 1;
        work(costs[number % costs.length] ?? 1);
      });
    }
  };
  const arrive = (): void => {
    const order = [newcomers, returners];
    for (const each of strangersFirst[done % strangersFirst.length] === true
      ? order
      : order.toReversed()) {
      each();
    }
  };

  queue.run('first', () => {
    work(1);
  });
  while ([...queue.waiting()].length > 0 || queue.current() !== 0) {
    await turnOfLoop();
  }
  return longest;
}

/**
 * The time until all waiting clients have received as much time as this client, before and now, and each of them has
 * finished the work that it began.
 */
function shareOf(ownCost: number, waiting: number): number {
  return (waiting + 1) * (2 * ownCost + MAX_COST);
}

test('no returning client waits longer than its share allows, however many new clients come', async () => {
  await assert(
    asyncProperty(scenarios, async (scenario) => {
      const { returning, strangers } = scenario;
      const waits = await longestWaits(scenario);
      for (const [index, { cost: own }] of returning.entries()) {
        expect(waits[index]).toBeLessThanOrEqual(shareOf(own, returning.length + strangers));
      }
    }),
    propertyRuns(60),
  );
});

test('all clients of a class together get the time of one client', async () => {
  await assert(
    asyncProperty(scenarios, async (scenario) => {
      const { returning } = scenario;
      const waits = await longestWaits(scenario, (client) =>
        client.startsWith('stranger') ? 'strangers' : undefined,
      );
      for (const [index, { cost: own }] of returning.entries()) {
        expect(waits[index]).toBeLessThanOrEqual(shareOf(own, returning.length + 1));
      }
    }),
    propertyRuns(60),
  );
});
