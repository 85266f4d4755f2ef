import { codedError } from '@store-gateway/ops/errors';
import type { ViolationErrors } from '@store-gateway/gateway';

export { rest } from './rest.ts';
export { schema } from './schema/index.ts';

/** What a trigger of the database has against a change is told to the client. */
export const violations: ViolationErrors = {
  P0001: (message) => codedError('BAD_USER_INPUT', message),
};
