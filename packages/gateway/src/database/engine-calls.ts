import { unboundedCall } from '@gateway/batched-prisma/unbounded-call';
import type { Models } from '@gateway/batched-prisma/model';
import { codedError } from '@gateway/errors/coded-error';
import { createExecutionSlots } from '@gateway/fair-scheduling/execution-slots';
import { REQUEST_TIMEOUT_MS } from '@gateway/graphql-server/execution/deadline';
import { loggedRequest } from '@gateway/log/request-context';

interface EngineCall {
  readonly model: string | undefined;
  readonly operation: string;
  readonly args: unknown;
  /** Whether it belongs to a transaction, which has its connection already. */
  readonly isOfTransaction: boolean;
}

/** Runs calls of Prisma's engine. */
export type RunEngineCall = (call: EngineCall, run: () => Promise<unknown>) => Promise<unknown>;

/**
 * Bounds what requests have Prisma's engine do: a call that would read any number of rows is an error, and a key has so few
 * in flight that it leaves connections to others. Commands aren't bounded.
 *
 * @param connections that the engine and creates have
 */
export function boundEngineCalls(models: Models, connections: number): RunEngineCall {
  const slots = createExecutionSlots(Math.max(1, Math.floor(connections / 2)));

  return async ({ model, operation, args, isOfTransaction }, run) => {
    const request = loggedRequest();
    if (request === undefined) {
      return run();
    }
    const fault = model === undefined ? undefined : unboundedCall(models, model, operation, args);
    if (fault !== undefined) {
      throw new TypeError(fault);
    }
    if (isOfTransaction) {
      return run();
    }
    const { keyId = '' } = request;
    if (!(await slots.enter(keyId, 1, REQUEST_TIMEOUT_MS))) {
      throw codedError(
        'OVERLOADED',
        'its key had too many calls of the database under way all the time',
      );
    }
    try {
      return await run();
    } finally {
      slots.leave(keyId, 1);
    }
  };
}
