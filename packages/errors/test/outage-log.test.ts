import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { log } from '@store-gateway/log/log';
import { requestContext, type RequestContext } from '@store-gateway/log/request-context';
import { codedError } from '../src/coded-error.ts';
import { publicError } from '../src/public-error.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What a request gets that meets this error. */
function told(id: string, cause: Error): RequestContext {
  const request: RequestContext = { id };
  requestContext.run(request, () => publicError(codedError('SERVICE_UNAVAILABLE', '', cause)));
  return request;
}

const away = (): Error => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

test('errors of one kind are logged at once, and then once a second with their number', () => {
  using logged = vi.spyOn(log, 'error').mockReturnValue(undefined);
  const requests = ['a', 'b', 'c'].map((id) => told(id, away()));
  expect(requests).toEqual([
    { id: 'a' },
    { id: 'b', errorLoggedUnder: 'a' },
    { id: 'c', errorLoggedUnder: 'a' },
  ]);
  told('d', new Error('timeout'));
  const err = expect.any(Error) as unknown;
  const message = 'SERVICE_UNAVAILABLE';
  expect(logged.mock.calls).toEqual([
    [{ err }, message],
    [{ err }, message],
  ]);
  vi.advanceTimersByTime(1000);
  expect(logged.mock.calls.slice(2)).toEqual([[{ err, repeated: 2 }, message]]);
  told('e', away());
  vi.advanceTimersByTime(1000);
  expect(logged.mock.calls.slice(3)).toEqual([[{ err, repeated: 1 }, message]]);
  vi.advanceTimersByTime(1000);
  told('f', away());
  expect(logged.mock.calls.slice(4)).toEqual([[{ err }, message]]);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});

test('beyond 20 kinds at a time, each error is logged', () => {
  using logged = vi.spyOn(log, 'error').mockReturnValue(undefined);
  for (let kind = 0; kind < 25; kind += 1) {
    told('a', new Error(`kind ${kind}`));
    told('b', new Error(`kind ${kind}`));
  }
  expect(logged).toHaveBeenCalledTimes(20 + 2 * 5);
  expect(vi.getTimerCount()).toBe(20);
  vi.advanceTimersByTime(2000);
  expect(vi.getTimerCount()).toBe(0);
});
