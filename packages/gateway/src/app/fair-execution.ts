import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Caller } from '@gateway/api-keys/caller';
import { codedError } from '@gateway/errors/coded-error';
import { REQUEST_TIMEOUT_MS, type WithDeadline } from '@gateway/graphql-server/execution/deadline';
import type { Execute, ExecuteInTime } from '@gateway/graphql-server/execution/execute';
import { createExecutionSlots } from '@gateway/fair-scheduling/execution-slots';
import type { FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { complexityOf } from '@gateway/graphql-server/bounds/complexity';
import { addWait } from '@gateway/log/request-context';
import { recorder } from '@gateway/telemetry/recorder';

/** Points that a key may have in execution: two of the most complex operations, or 24 pages of 100 rows of four fields. */
const MAX_POINTS = 10_000;

/** To resolve and serialize a point: a page of 100 rows, 400 points more than a page of one, takes 120 µs more. */
const MS_PER_POINT = 0.0003;

interface FairExecution {
  readonly schema: GraphQLSchema;
  readonly execute: Execute<Caller>;
  readonly queue: FairQueue;
  readonly withDeadline: WithDeadline;
  /** Milliseconds that a request may wait, as in `withDeadline`. */
  readonly timeout?: number | undefined;
}

/**
 * Bounds how much each key has in execution. What follows the database's answer takes no turn in the queue, because several
 * requests may share it: so it is bounded before it begins, and charged by the operation's complexity.
 */
export function executeFairly({
  schema,
  execute,
  queue,
  withDeadline,
  timeout = REQUEST_TIMEOUT_MS,
}: FairExecution): ExecuteInTime<Caller> {
  const slots = createExecutionSlots(MAX_POINTS);
  let last: ExecutionResult | undefined;

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
        throw codedError('OVERLOADED', 'its key had too much under way all the time');
      }
      waitedInAll += waitedForSlot;
    }
    try {
      const result = await withDeadline(waitedInAll, execute(operation, request));
      if (result !== last) {
        // Requests that share a result settle one right after the other: it was made once.
        last = result;
        queue.charge(client, points * MS_PER_POINT);
      }
      return result;
    } finally {
      slots.leave(client, points);
    }
  };
}
