import { ofEngineOnly, type Models, unboundedCall } from '@store-gateway/data';
import { codedError } from '@store-gateway/ops/errors';
import { createExecutionSlots } from '@store-gateway/http/limits';
import { loggedRequest, recorder, tracer } from '@store-gateway/ops';
import { type retryConflicts, timeStatement } from '@store-gateway/postgres';
import { isPlannedByValue } from './prisma-client.ts';

interface EngineCall {
  readonly model?: string | undefined;
  readonly operation: string;
  readonly args: unknown;
  readonly query: (args: unknown) => Promise<unknown>;
}

interface EngineOptions {
  /** Runs a query with a plan for its values. */
  readonly planByValue: (query: Promise<unknown>) => Promise<unknown>;
  /** Runs what is a transaction of its own, again where that may help. */
  readonly retry: typeof retryConflicts;
  /** Milliseconds that a call of a key waits for the key's other calls. */
  readonly waitMs: number;
}

/**
 * A query extension that records what Prisma's engine is asked for, and bounds what requests have it do: a call that would
 * read any number of rows is an error, and a key has so few in flight that it leaves connections to others. Commands aren't
 * bounded.
 *
 * @param connections that the engine and creates have
 */
export function boundedEngine(
  models: Models,
  connections: number,
  { planByValue, retry, waitMs }: EngineOptions,
): object {
  const slots = createExecutionSlots(Math.max(1, Math.floor(connections / 2)));

  async function answer({
    model,
    operation,
    args,
    query,
    isOfTransaction,
  }: EngineCall & { readonly isOfTransaction: boolean }): Promise<unknown> {
    const name = model === undefined ? operation : `${model}.${operation}`;
    if (model !== undefined) {
      databaseCalled(model, operation, 'engine');
    }
    // It has its connection already, and alone can't be run again.
    const ask = (): Promise<unknown> =>
      !isOfTransaction && isPlannedByValue(operation, args)
        ? planByValue(query(args))
        : query(args);
    const run = (): Promise<unknown> =>
      timeStatement(name, () => (isOfTransaction ? ask() : retry(ask)));
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
    if (!(await slots.enter(keyId, 1, waitMs))) {
      throw codedError(
        'OVERLOADED',
        'the API key stayed at its limit of concurrent database calls until the request timed out',
      );
    }
    try {
      return await run();
    } finally {
      slots.leave(keyId, 1);
    }
  }

  return { $allOperations: ofEngineOnly(answer) };
}

export function databaseCalled(model: string, operation: string, by: 'statement' | 'engine'): void {
  recorder.add('database_calls_total', 1, { model, operation, answered_by: by });
  tracer.databaseCalled(model, operation, by);
}
