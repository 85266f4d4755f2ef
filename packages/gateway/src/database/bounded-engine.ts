import { ofEngineOnly } from '@gateway/batched-prisma/bypassed';
import type { Models } from '@gateway/batched-prisma/model';
import { retryConflicts } from '@gateway/postgres/retry-conflicts';
import { timeStatement } from '@gateway/postgres/statement-time';
import { recorder } from '@gateway/telemetry/recorder';
import { tracer } from '@gateway/telemetry/tracer';
import { boundEngineCalls } from './engine-calls.ts';

/** An extension that bounds what Prisma's engine is asked for, and records it. */
export function boundedEngine(models: Models, connections: number): object {
  const engineCalls = boundEngineCalls(models, connections);
  return {
    query: {
      $allOperations: ofEngineOnly(
        async ({ model, operation, args, query, ...call }: EngineQuery) => {
          const name = model === undefined ? operation : `${model}.${operation}`;
          if (model !== undefined) {
            databaseCalled(model, operation, 'engine');
          }
          const run = (): Promise<unknown> => query(args);
          const ofTransaction = isOfTransaction(call);
          return engineCalls({ model, operation, args, isOfTransaction: ofTransaction }, () =>
            timeStatement(name, () => (ofTransaction ? run() : retryConflicts(run))),
          );
        },
      ),
    },
  };
}

interface EngineQuery {
  readonly model?: string | undefined;
  readonly operation: string;
  readonly args: unknown;
  readonly query: (args: unknown) => Promise<unknown>;
}

/** Whether a call belongs to a transaction, which alone could be run again. */
function isOfTransaction(call: object): boolean {
  const internal: unknown = Reflect.get(call, '__internalParams');
  return internal instanceof Object && Reflect.get(internal, 'transaction') !== undefined;
}

export function databaseCalled(model: string, operation: string, by: 'statement' | 'engine'): void {
  recorder.add('database_calls_total', 1, { model, operation, answered_by: by });
  tracer.databaseCalled(model, operation, by);
}
