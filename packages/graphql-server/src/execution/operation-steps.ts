import type { ExecuteInTime, Operation } from './execute.ts';

type Arguments<Caller> = Parameters<ExecuteInTime<Caller>>;

/**
 * A step around the execution of an operation: it goes on by `next`, or gives a result of its own. Several requests may share the
 * result of `next`, so it must not be changed.
 */
export type OperationStep<Caller> = (
  operation: Operation,
  request: Arguments<Caller>[1],
  next: ExecuteInTime<Caller>,
) => ReturnType<ExecuteInTime<Caller>>;

/** Takes these steps in their order around the execution of each operation. */
export function takeOperationSteps<Caller>(
  steps: readonly OperationStep<Caller>[],
  execute: ExecuteInTime<Caller>,
): ExecuteInTime<Caller> {
  return steps.reduceRight<ExecuteInTime<Caller>>(
    (next, step) => (operation, request) => step(operation, request, next),
    execute,
  );
}
