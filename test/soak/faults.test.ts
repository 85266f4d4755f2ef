import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { injectInTurn } from '../../soak/fault-schedule.ts';
import { type Fault, FAULTS, type Subject } from '../../soak/faults.ts';
import { watchRecovery } from '../../soak/recovery.ts';

const NEVER = new AbortController().signal;

/** Something to break of which the calls are told, at each of which something may be done. */
function startSubject(onCall: (call: string) => void = () => undefined) {
  const calls: string[] = [];
  const called = (call: string) => {
    calls.push(call);
    onCall(call);
  };
  const does = (call: string) => async () => {
    called(call);
  };
  const subject: Subject = {
    gateway: {
      restart: async (kind) => {
        called(kind);
      },
    },
    store: {
      env: {},
      keys: [],
      pets: 0,
      version: async () => '',
      petsLeft: async () => 0,
      added: async () => [],
      answers: does('answers'),
      cutAllConnections: does('cut'),
      lock: does('lock'),
      postgres: {
        url: '',
        crash: does('crash'),
        freeze: async () => {
          called('freeze');
          return () => {
            called('thaw');
          };
        },
        answers: does('answers'),
      },
      [Symbol.asyncDispose]: does('dispose'),
    },
  };
  return { calls, subject };
}

/** What becomes of the fault of a name that is given up at the last call that it is to make. */
async function inject(name: string, last: { readonly call: string; readonly time: number }) {
  const ending = new AbortController();
  let times = 0;
  const { calls, subject } = startSubject((call) => {
    times += call === last.call ? 1 : 0;
    if (times === last.time) ending.abort();
  });
  const fault = FAULTS.find((each) => each.name === name);
  await fault?.inject(subject, ending.signal);
  return calls;
}

test('connections are cut twenty times, and it is over with the last time', async () => {
  const calls = await inject('connections cut', { call: 'cut', time: 20 });
  expect(calls).toEqual(Array.from({ length: 20 }, () => 'cut'));
});

test('a PostgreSQL that was killed is repaired when it answers', async () => {
  const calls = await inject('PostgreSQL killed', { call: 'answers', time: 1 });
  expect(calls).toEqual(['crash', 'answers']);
});

test('a PostgreSQL that is frozen goes on, also when that is given up', async () => {
  const ending = new AbortController();
  const { calls, subject } = startSubject(() => {
    ending.abort();
  });
  const frozen = FAULTS.find(({ name }) => name === 'PostgreSQL frozen');
  await expect(frozen?.inject(subject, ending.signal)).rejects.toThrow(/abort/);
  expect(calls).toEqual(['freeze', 'thaw']);
});

test.each([
  ['gateway killed', 'SIGKILL'],
  ['gateway restarted', 'SIGTERM'],
])('whoever asks while there is a %s may find nobody', async (name, signal) => {
  expect(await inject(name, { call: signal, time: 1 })).toEqual([signal]);
  expect(FAULTS.find((fault) => fault.name === name)?.takesGateway).toBe(true);
});

/** What is told of faults that come every 40 ms, for 200 ms. */
async function runInTurn(faults: readonly Fault[], signal = NEVER) {
  const began = performance.now();
  const now = () => (performance.now() - began) / 1000;
  const watch = watchRecovery(now);
  const told: string[] = [];
  const schedule = {
    minutes: 0.2 / 60,
    interval: 0.04,
    now,
    watch,
    failed: (what: string) => {
      told.push(what);
    },
    progressed: () => undefined,
  };
  await injectInTurn(faults, startSubject().subject, schedule, signal);
  return { told, injected: watch.recoveries().map(({ fault }) => fault) };
}

test('faults are injected in turn; one that fails is told, and the others are injected', async () => {
  const { told, injected } = await runInTurn([
    { name: 'good', inject: () => Promise.resolve() },
    { name: 'bad', inject: () => Promise.reject(new Error('no')) },
  ]);
  expect(injected).toEqual(['good', 'bad', 'good', 'bad', 'good']);
  expect(told).toEqual(['bad: Error: no', 'bad: Error: no']);
});

test('a run that is interrupted ends, and with it the fault', async () => {
  const interruption = new AbortController();
  const endless: Fault = {
    name: 'endless',
    inject: async (_subject, signal) => {
      interruption.abort();
      await setTimeout(3_600_000, undefined, { signal });
    },
  };
  await expect(runInTurn([endless], interruption.signal)).rejects.toThrow(/abort/);
});
