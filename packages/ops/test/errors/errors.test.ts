import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { codedError, defineError, errorCode } from '../../src/errors.ts';

test('codedError sets the code and status, and hides a message that is only for the log', () => {
  expect(codedError('NOT_FOUND', 'There is no such thing').toJSON()).toEqual({
    message: 'There is no such thing',
    extensions: { code: 'NOT_FOUND', status: 404 },
  });
  const error = codedError('SERVICE_UNAVAILABLE', 'password authentication failed');
  expect(error.message).not.toContain('password');
  expect(error.cause).toEqual(new Error('password authentication failed'));
});

test('errorCode returns only the codes of defined errors, and undefined for other errors', () => {
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

test.each([
  [{ code: 'NOT_FOUND' }, 'the error NOT_FOUND already exists'],
  [{ code: 'onLoan' }, "an error's code must be upper-case words such as ON_LOAN, not onLoan"],
  [{ code: 'BROKEN', status: 500 }, 'the status of BROKEN must be between 400 and 499, not 500'],
])('defineError rejects %o', (other, message) => {
  expect(() => defineError({ ...ON_LOAN, ...other })).toThrow(message);
});
