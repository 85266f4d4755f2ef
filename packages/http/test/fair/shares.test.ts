import { expect, test, vi } from 'vitest';
import { createExecutionSlots, createOpenShares } from '../../src/fair/execution-slots.ts';

/** How many each of these clients gets, when each takes all that it can. */
function taken(maximum: number, clients: readonly string[]): number[] {
  const { hasRoom, opened } = createOpenShares(maximum);
  return clients.map((client) => {
    let count = 0;
    for (; hasRoom(client); count += 1) {
      opened(client);
    }
    return count;
  });
}

test.each([
  { clients: ['a'], shares: [500] },
  { clients: ['a', 'b'], shares: [500, 250] },
  { clients: ['a', 'b', 'c'], shares: [500, 250, 125] },
])('a client leaves as many requests free as it opens: $shares of 1000', (row) => {
  expect(taken(1000, row.clients)).toEqual(row.shares);
});

test('a closed request leaves room', () => {
  const { hasRoom, opened, closed } = createOpenShares(1);
  opened('a');
  expect([hasRoom('a'), hasRoom('b')]).toEqual([false, false]);
  closed('a');
  expect([hasRoom('a'), hasRoom('b')]).toEqual([true, true]);
});

test('the operations of a client wait in order when its points are used up', async () => {
  const { enter, leave } = createExecutionSlots(10);
  expect(enter('a', 6, 1000)).toBe(true);
  const order: string[] = [];
  const second = Promise.resolve(enter('a', 6, 1000)).then(() => order.push('second'));
  const third = Promise.resolve(enter('a', 1, 1000)).then(() => order.push('third'));
  expect(enter('b', 6, 1000)).toBe(true);
  await Promise.resolve();
  expect(order).toEqual([]);
  leave('a', 6);
  await Promise.all([second, third]);
  expect(order).toEqual(['second', 'third']);
});

test('an operation with more points than all runs alone', () => {
  const { enter, leave } = createExecutionSlots(10);
  expect(enter('a', 11, 1000)).toBe(true);
  leave('a', 11);
  expect(enter('a', 11, 1000)).toBe(true);
});

test('an operation that waits too long is rejected and takes no points', async () => {
  vi.useFakeTimers();
  try {
    const { enter, leave } = createExecutionSlots(10);
    expect(enter('a', 10, 1000)).toBe(true);
    const late = enter('a', 10, 1000);
    vi.advanceTimersByTime(1000);
    expect(await late).toBe(false);
    leave('a', 10);
    expect(enter('a', 10, 1000)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
