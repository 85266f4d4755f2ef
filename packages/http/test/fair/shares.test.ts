import { expect, test, vi } from 'vitest';
import { createExecutionSlots, createOpenShares } from '../../src/fair/execution-slots.ts';

test('each client may open as many requests as it leaves free for other clients', () => {
  const { hasRoom, opened } = createOpenShares(1000);
  const shares = ['a', 'b', 'c'].map((client) => {
    let count = 0;
    for (; hasRoom(client); count += 1) {
      opened(client);
    }
    return count;
  });
  expect(shares).toEqual([500, 250, 125]);
});

test('closing a request makes room for a new request', () => {
  const { hasRoom, opened, closed } = createOpenShares(1);
  opened('a');
  expect([hasRoom('a'), hasRoom('b')]).toEqual([false, false]);
  closed('a');
  expect([hasRoom('a'), hasRoom('b')]).toEqual([true, true]);
});

test('when a client has used up its points, its further operations wait in order', async () => {
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

test('an operation that costs more points than the limit can run while no other operation is running', () => {
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
