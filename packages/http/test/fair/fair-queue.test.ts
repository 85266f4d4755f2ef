import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFairQueue } from '../../src/fair/fair-queue.ts';

/** A queue with a simulated clock, in which work takes the time that the test specifies. */
function startQueue() {
  let time = 0;
  let processorTime = 0;
  const done: string[] = [];
  const waited: [string, number][] = [];
  const queue = createFairQueue({
    now: () => time,
    processorTime: () => processorTime,
    onWaited: (client, milliseconds) => waited.push([client, milliseconds]),
  });
  const add = (client: string, name: string, milliseconds: number): void => {
    queue.run(client, () => {
      done.push(name);
      time += milliseconds;
      processorTime += milliseconds;
    });
  };
  /** Adds `count` pieces of work for each of these clients, alternating between the clients. */
  const addMany = (
    count: number,
    ...clients: (readonly [client: string, milliseconds: number])[]
  ): void => {
    for (let index = 0; index < count; index += 1) {
      for (const [client, milliseconds] of clients) add(client, `${client} ${index}`, milliseconds);
    }
  };
  const standStill = (milliseconds: number): void => {
    time += milliseconds;
  };
  const settled = async (): Promise<string[]> => {
    while ([...queue.waiting()].length > 0 || queue.current() !== 0) {
      await turnOfLoop();
    }
    return done;
  };
  return { queue, add, addMany, standStill, settled, waited };
}

test('work runs immediately while no client is waiting', () => {
  const { add, queue } = startQueue();
  let isDone = false;
  queue.run('a', () => {
    isDone = true;
  });
  expect(isDone).toBe(true);
  add('a', 'second', 1);
  expect([...queue.waiting()]).toEqual([['a', 1]]);
});

test('the client that has used the least time runs first', async () => {
  const { add, addMany, settled } = startQueue();
  addMany(100, ['hog', 4]);
  add('honest', 'honest', 1);
  expect((await settled()).indexOf('honest')).toBe(1);
});

test('a client is not charged for time during which the machine was stalled', async () => {
  const { add, addMany, queue, settled, standStill } = startQueue();
  queue.run('honest', () => {
    standStill(4000);
  });
  addMany(100, ['hog', 10]);
  add('honest', 'next', 1);
  expect((await settled()).indexOf('next')).toBeLessThan(2);
});

test('long work is charged in full', async () => {
  const { add, addMany, settled } = startQueue();
  add('hog', 'first', 1000);
  add('hog', 'second', 1000);
  addMany(100, ['honest', 10]);
  expect((await settled()).indexOf('second')).toBeGreaterThan(99);
});

test('waiting clients get equal time, not equal numbers of turns', async () => {
  const { addMany, settled } = startQueue();
  addMany(100, ['dear', 10], ['cheap', 1]);
  const done = (await settled()).slice(0, 55);
  expect(done.filter((name) => name.startsWith('dear'))).toHaveLength(5);
});

test('an idle client does not save up time', async () => {
  const { add, addMany, settled } = startQueue();
  add('idle', 'before', 1);
  addMany(100, ['busy', 1]);
  await settled();
  addMany(50, ['idle', 1], ['busy', 1]);
  const done = (await settled()).slice(101, 121);
  expect(done.filter((name) => name.startsWith('busy')).length).toBeGreaterThan(8);
});

test('time that a client uses while no other client waits is not charged', async () => {
  const { addMany, settled } = startQueue();
  addMany(100, ['busy', 10]);
  await settled();
  addMany(20, ['new', 1], ['busy', 1]);
  const done = (await settled()).slice(100, 130);
  expect(done.filter((name) => name.startsWith('busy')).length).toBeGreaterThan(8);
});

test("time outside a client's turns counts if it is charged to the client", async () => {
  const { add, queue, settled } = startQueue();
  add('first', 'first', 0);
  add('charged', 'charged', 1);
  add('other', 'other', 1);
  queue.charge('charged', 100);
  expect(await settled()).toEqual(['first', 'other', 'charged']);
});

test('a turn lasts until its work waits for I/O', async () => {
  const { add, queue, settled, waited } = startQueue();
  const continuing = async (): Promise<void> => {
    await Promise.resolve();
    add('b', 'behind', 0);
    add('a', 'own', 0);
    await Promise.resolve();
  };
  queue.run('a', () => void continuing());
  const turn = queue.current();
  await Promise.resolve();
  await Promise.resolve();
  expect([turn > 0, queue.current()]).toEqual([true, turn]);
  expect(await settled()).toEqual(['behind', 'own']);
  expect(waited.map(([client]) => client)).toEqual(['b', 'a']);
});

test('the event loop runs other work between turns', async () => {
  const { addMany, queue, settled } = startQueue();
  addMany(100, ['a', 1]);
  await turnOfLoop();
  await turnOfLoop();
  expect([...queue.waiting()][0]?.[1]).toBeGreaterThan(80);
  expect(await settled()).toHaveLength(100);
});

test('no waiting client is forgotten when thousands of one-time clients come', async () => {
  const { add, settled } = startQueue();
  for (let index = 0; index < 5000; index += 1) {
    add(`client ${index}`, `${index}`, 0);
  }
  expect(new Set(await settled()).size).toBe(5000);
});

test('the charge of an idle client is forgotten after many one-time clients have come', async () => {
  const { add, queue, settled } = startQueue();
  queue.charge('charged', 100);
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 500; index += 1) {
      add(`client ${round}-${index}`, '', 1);
    }
    await settled();
  }
  add('first', 'first', 0);
  add('charged', 'charged', 1);
  add('other', 'other', 1);
  expect((await settled()).slice(-3)).toEqual(['first', 'charged', 'other']);
});
