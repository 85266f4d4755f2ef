import { GraphQLError } from 'graphql';
import { expect, test, vi } from 'vitest';
import { log } from '../../src/log/log.ts';
import { requestContext, type RequestContext } from '../../src/log/request-context.ts';
import {
  codedError,
  defineError,
  errorCode,
  errorStatus,
  retryHeaders,
  publicError,
} from '../../src/errors.ts';
import { listenFailure } from '../../src/startup-failure.ts';

test('an error has its code and status, and a constant text where its message is for the log', () => {
  expect(codedError('NOT_FOUND', 'There is no such thing').toJSON()).toEqual({
    message: 'There is no such thing',
    extensions: { code: 'NOT_FOUND', status: 404 },
  });
  const error = codedError('SERVICE_UNAVAILABLE', 'password authentication failed');
  expect(error.message).not.toContain('password');
  expect(error.cause).toEqual(new Error('password authentication failed'));
});

test('only errors of the list have a code', () => {
  const other = new GraphQLError('x', { extensions: { code: 'toString' } });
  expect([codedError('GONE', ''), other, new Error('x')].map(errorCode)).toEqual([
    'GONE',
    undefined,
    undefined,
  ]);
});

const ON_LOAN = {
  code: 'ON_LOAN',
  status: 409,
  description: 'Somebody has it.',
  example: 'Mio is on loan',
};

test('an application’s own error is one of the list, with its message', () => {
  const onLoan = defineError(ON_LOAN);
  expect(onLoan('Mio is on loan').toJSON()).toEqual({
    message: 'Mio is on loan',
    extensions: { code: 'ON_LOAN', status: 409 },
  });
  expect(errorCode(onLoan(''))).toBe('ON_LOAN');
  expect(errorStatus('ON_LOAN')).toBe(409);
  expect(publicError(onLoan('Mio is on loan')).message).toBe('Mio is on loan');
});

test.each([
  [{ code: 'NOT_FOUND' }, 'the error NOT_FOUND already exists'],
  [{ code: 'onLoan' }, "an error's code must be upper-case words such as ON_LOAN, not onLoan"],
  [{ code: 'BROKEN', status: 500 }, 'the status of BROKEN must be between 400 and 499, not 500'],
])('an own error can not be %o', (other, message) => {
  expect(() => defineError({ ...ON_LOAN, ...other })).toThrow(message);
});

test('an error that seldom lasts long has a Retry-After', () => {
  expect(retryHeaders('OVERLOADED')).toEqual({ 'Retry-After': '1' });
  expect([retryHeaders('GONE'), retryHeaders(undefined)]).toEqual([{}, {}]);
});

test('an unexpected error is replaced, and logged once for all requests that share it', () => {
  using logged = vi.spyOn(log, 'error').mockReturnValue(undefined);
  const thrown = new Error('SELECT secret');
  const [first, second]: RequestContext[] = [{ id: 'first' }, { id: 'second' }];
  const shown = [first, second].map((request) =>
    requestContext.run(request ?? { id: '' }, publicError, thrown),
  );
  expect(shown.map(errorCode)).toEqual(['INTERNAL_SERVER_ERROR', 'INTERNAL_SERVER_ERROR']);
  expect(JSON.stringify(shown)).not.toContain('SELECT');
  expect(logged).toHaveBeenCalledExactlyOnceWith({ err: thrown }, 'unexpected error');
  expect([first, second]).toEqual([{ id: 'first' }, { id: 'second', errorLoggedUnder: 'first' }]);
});

test("the caller's own fault is shown as it is, and not logged", () => {
  using logged = vi.spyOn(log, 'error').mockReturnValue(undefined);
  const error = codedError('BAD_USER_INPUT', 'limit must be positive');
  expect(publicError(error)).toBe(error);
  expect(logged).not.toHaveBeenCalled();
});

test('a server that can not listen names the variable to set', () => {
  const error = Object.assign(new Error('x'), { code: 'EADDRINUSE' });
  expect(listenFailure(error, { host: 'localhost', port: 80 }, 'METRICS_').message).toBe(
    'METRICS_PORT: localhost:80 is already in use; set METRICS_PORT to a free one',
  );
});
