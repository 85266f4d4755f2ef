import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOutageLog, log } from '../../src/log/log.ts';
import { requestContext } from '../../src/log/request-context.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const CODE = 'SERVICE_UNAVAILABLE';
const away = (): Error => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

/** Logs an error in a request. @returns the id of the request in the log line that covers this error */
function loggedUnder(
  logOutage: ReturnType<typeof createOutageLog>,
  id: string,
  cause = away(),
): string | undefined {
  return requestContext.run({ id }, logOutage, CODE, cause);
}

test('errors of one kind are logged at once, then once a second with their number and the latest request', () => {
  using logged = vi.spyOn(log, 'error').mockReturnValue(undefined);
  const logOutage = createOutageLog();
  const err = expect.any(Error) as unknown;
  expect(['a', 'b', 'c'].map((id) => loggedUnder(logOutage, id))).toEqual(['a', 'a', 'a']);
  expect(loggedUnder(logOutage, 'd', new Error('timeout'))).toBe('d');
  expect(logged.mock.calls.splice(0)).toEqual([
    [{ err }, CODE],
    [{ err }, CODE],
  ]);
  vi.advanceTimersByTime(1000);
  expect(logged.mock.calls.splice(0)).toEqual([[{ requestId: 'c', err, repeated: 2 }, CODE]]);
  expect(loggedUnder(logOutage, 'e')).toBe('c');
  vi.advanceTimersByTime(1000);
  expect(logged.mock.calls.splice(0)).toEqual([[{ requestId: 'e', err, repeated: 1 }, CODE]]);
  vi.advanceTimersByTime(1000);
  expect(loggedUnder(logOutage, 'f')).toBe('f');
  expect(logged.mock.calls).toEqual([[{ err }, CODE]]);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});

test('an error outside a request has a separate log line, which no request refers to', () => {
  using logged = vi.spyOn(log, 'error').mockReturnValue(undefined);
  const logOutage = createOutageLog();
  expect(logOutage(CODE, away())).toBeUndefined();
  expect(loggedUnder(logOutage, 'a')).toBe('a');
  expect(logged).toHaveBeenCalledTimes(2);
});

test('when there are more than 20 kinds of errors at a time, each error of a further kind is logged', () => {
  using logged = vi.spyOn(log, 'error').mockReturnValue(undefined);
  const logOutage = createOutageLog();
  for (let kind = 0; kind < 25; kind += 1) {
    loggedUnder(logOutage, 'a', new Error(`kind ${kind}`));
    loggedUnder(logOutage, 'b', new Error(`kind ${kind}`));
  }
  expect(logged).toHaveBeenCalledTimes(20 + 2 * 5);
  expect(vi.getTimerCount()).toBe(20);
  vi.advanceTimersByTime(2000);
  expect(vi.getTimerCount()).toBe(0);
});
