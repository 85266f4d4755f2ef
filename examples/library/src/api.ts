import { codedError } from '@store-gateway/ops/errors';
import type { ViolationErrors } from '@store-gateway/gateway';

export { rest } from './rest.ts';
export { schema } from './schema/index.ts';

/** Passes the messages of the database's triggers on to clients. */
export const violations: ViolationErrors = {
  P0001: (message) => codedError('BAD_USER_INPUT', message),
};
