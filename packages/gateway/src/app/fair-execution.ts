import type { ExecutionArgs, GraphQLSchema } from 'graphql';
import type { Caller } from '@store-gateway/access';
import { codedError } from '@store-gateway/ops/errors';
import {
  REQUEST_TIMEOUT_MS,
  type WithDeadline,
  type Execute,
  type ExecuteInTime,
  type OperationRequest,
  complexityOf,
} from '@store-gateway/graphql/execution';
import { createExecutionSlots, type FairQueue } from '@store-gateway/http/limits';
import { addWait, recorder } from '@store-gateway/ops';

/**
 * Maximum total complexity of a key's operations in execution: two operations of the maximum complexity, or 24 pages of 100
 * rows of four fields.
 */
const MAX_POINTS = 10_000;

/**
 * Time to resolve and serialize one point of complexity. A page of 100 rows has 400 points more than a page of one row, and
 * takes 120 µs longer.
 */
const MS_PER_POINT = 0.0003;

interface FairExecution {
  readonly schema: GraphQLSchema;
  readonly execute: Execute<Caller>;
  readonly withDeadline: WithDeadline;
  /** Milliseconds that a request may wait, as in `withDeadline`. */
  readonly timeout?: number | undefined;
}

/**
 * Charges a key by complexity for the executions that its requests start. The work after the database responds doesn't take a
 * turn in the queue, because several requests may share it.
 */
export function chargeExecutions(
  queue: FairQueue,
): (operation: ExecutionArgs, request: OperationRequest<Caller>) => void {
  return (operation, { caller }) => {
    queue.charge(caller.client, complexityOf(operation) * MS_PER_POINT);
  };
}

/** Limits the total complexity of each key's operations in execution. */
export function executeFairly({
  schema,
  execute,
  withDeadline,
  timeout = REQUEST_TIMEOUT_MS,
}: FairExecution): ExecuteInTime<Caller> {
  const slots = createExecutionSlots(MAX_POINTS);

  return async (operation, request) => {
    const { caller, waited } = request;
    const { client } = caller;
    const points = complexityOf({ schema, ...operation });
    const entered = slots.enter(client, points, timeout - waited);
    let waitedInAll = waited;
    if (entered !== true) {
      const asked = performance.now();
      const hasSlot = await entered;
      const waitedForSlot = performance.now() - asked;
      addWait(waitedForSlot);
      recorder.add('request_wait_seconds_total', waitedForSlot / 1000, {
        key_id: caller.name,
      });
      if (!hasSlot) {
        throw codedError(
          'OVERLOADED',
          'the API key stayed at its limit of concurrent requests until the request timed out',
        );
      }
      waitedInAll += waitedForSlot;
    }
    try {
      return await withDeadline(waitedInAll, execute(operation, request));
    } finally {
      slots.leave(client, points);
    }
  };
}
