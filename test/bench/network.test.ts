import { expect, test } from 'vitest';
import { distancesOf } from '../../bench/network/cells.ts';
import { createDelayLine } from '../../bench/network/delay-line.ts';
import { tableOf } from '../../bench/network/table.ts';
import { benchSample as sample } from '../support/bench-sample.ts';

/** A delay line with a clock that is told to go on, and what it has done. */
function delayLine(delay: number) {
  let time = 0;
  let alarm: { readonly at: number; readonly ring: () => void } | undefined;
  const done: string[] = [];
  const line = createDelayLine(
    () => time,
    (at, ring) => {
      if (alarm !== undefined) throw new Error('it has not rung yet');
      alarm = { at, ring };
    },
  );
  line.delay = delay;
  return {
    line,
    send: (what: string) => {
      line.push(() => done.push(`${what} at ${time}`));
    },
    goOnTo: (later: number) => {
      time = later;
      if (alarm === undefined || alarm.at > time) return;
      const { ring } = alarm;
      alarm = undefined;
      ring();
    },
    done,
  };
}

test('what is sent arrives after the delay, in its order', () => {
  const { send, goOnTo, done } = delayLine(2);
  send('a');
  goOnTo(1);
  send('b');
  goOnTo(1.9);
  expect(done).toEqual([]);
  for (let tenth = 20; tenth <= 40; tenth += 1) goOnTo(tenth / 10);
  expect(done).toEqual(['a at 2', 'b at 3']);
});

test('without a delay it arrives at once, but nothing overtakes what is under way', () => {
  const { line, send, goOnTo, done } = delayLine(0);
  send('a');
  line.delay = 2;
  send('b');
  line.delay = 0;
  goOnTo(1);
  send('c');
  expect(done).toEqual(['a at 0']);
  goOnTo(2);
  expect(done).toEqual(['a at 0', 'b at 2', 'c at 2']);
});

test('a pattern leaves the distances, and of the works those, that have a cell that fits', () => {
  const [distance, ...others] = distancesOf(/^2\/(ours|mercurius)\/.*\/get\/32$/);
  expect(others).toEqual([]);
  expect(distance?.roundTrip).toBe(2);
  expect(
    distance?.groups.map((group) => group.map(({ server, surface }) => `${server} ${surface}`)),
  ).toEqual([['ours rest'], ['ours graphql', 'mercurius graphql']]);
});

function get(server: string, requestsPerSecond: number, errors = 0) {
  return sample(server, 0, { work: 'get', requestsPerSecond, errors });
}

test('a row has the ratios to the peers that did the same at the same distance', () => {
  const [near, far] = distancesOf(/rest\/get\/32$/);
  const table = tableOf([
    ...(near === undefined
      ? []
      : [{ ...near, samples: [get('ours', 900), get('fastify-pg', 600)], trips: [0.7, 0.5, 0.6] }]),
    ...(far === undefined
      ? []
      : [{ ...far, samples: [get('ours', 400), get('express-prisma', 100, 3)], trips: [2] }]),
  ]);
  expect(table.replaceAll(/ +/g, ' ').split('\n').slice(2)).toEqual([
    '| 0.5 | rest | get | 32 | 900 | 1.00 | 1 | 1.50 × | | | 0 |',
    '| 2 | rest | get | 32 | 400 | 1.00 | 1 | | 4.00 × | | 3 |',
    '',
    'An empty statement took 0.60 ms for 0.5, 2.00 ms for 2.',
    '',
  ]);
});
