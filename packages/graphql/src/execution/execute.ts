import {
  execute as executeByReference,
  getOperationAST,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { publicError } from '@store-gateway/ops/errors';
import { tracer } from '@store-gateway/ops';
import { deprecatedCalls, removalFault, usesOf } from '../marks/deprecations.ts';
import { executeCompiled } from './compiled.ts';
import { createCoalescedReads } from './coalesced-reads.ts';
import { areLarge, errorsWithVariablesNamed, refusedVariables } from './variable-errors.ts';
import { tellMutations, type MutationListeners, type MutationOutcome } from './mutations.ts';
import type { PlanRows, OperationArgs } from './written-rows.ts';

/** An operation of the schema, in a valid document. */
export interface Operation extends Pick<
  ExecutionArgs,
  'document' | 'operationName' | 'variableValues'
> {
  /** How its rows are written, for callers that accept `WrittenJson` in the result; by default, rows are objects. */
  readonly planRows?: PlanRows | undefined;
}

/** The request that an operation is part of: its caller, its idempotency key and the listeners for its mutations. */
export interface OperationRequest<Caller> extends MutationListeners {
  readonly caller: Caller;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Executes an operation. Never rejects; callers may see all errors in the result. Coalesced requests share the result, so it
 * must not be changed.
 */
export type Execute<Caller> = (
  operation: Operation,
  request: OperationRequest<Caller>,
) => Promise<ExecutionResult>;

/** Executes an operation within its request's deadline. Otherwise, it rejects with SERVICE_UNAVAILABLE or OVERLOADED. */
export type ExecuteInTime<Caller> = (
  operation: Operation,
  request: OperationRequest<Caller> & {
    /** Milliseconds that the request has already waited for the database. */
    readonly waited: number;
  },
) => Promise<ExecutionResult>;

/**
 * A step around the execution of an operation. It calls `next`, or returns its own result. Several requests may share the
 * result of `next`, so it must not be changed.
 */
export type OperationStep<Caller> = (
  ...args: [...Parameters<ExecuteInTime<Caller>>, next: ExecuteInTime<Caller>]
) => ReturnType<ExecuteInTime<Caller>>;

/** Runs these steps in order around the execution of each operation. */
export function takeOperationSteps<Caller>(
  steps: readonly OperationStep<Caller>[],
  execute: ExecuteInTime<Caller>,
): ExecuteInTime<Caller> {
  // Rows stay objects, because steps may read the results.
  const executeUnplanned: ExecuteInTime<Caller> = (operation, request) =>
    execute({ ...operation, planRows: undefined }, request);
  return steps.reduceRight<ExecuteInTime<Caller>>(
    (next, step) => (operation, request) => step(operation, request, next),
    executeUnplanned,
  );
}

/** The contexts of executions, and callbacks for what happens in them. */
interface ExecuteOptions<Caller> {
  /**
   * The members of all contexts that belong to no request. Resolvers that read no others may answer several requests at once.
   */
  readonly services: object;
  /** Creates the context of a request; by default it is the services. */
  readonly contextOf?: (request: OperationRequest<Caller>) => object;
  /** Called once for each execution, with the request that led it. */
  readonly onExecuted?: (operation: ExecutionArgs, request: OperationRequest<Caller>) => void;
  /** Called for each call of a deprecated root field, and for each operation that uses anything else that is deprecated. */
  readonly onDeprecatedCall?: (request: OperationRequest<Caller>, of: string) => void;
  /** Called for each field of Mutation when its outcome is known. */
  readonly onMutation?: (request: OperationRequest<Caller>, mutation: MutationOutcome) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Returns a function that executes a schema's operations. It coalesces identical reads, and from the announced day on, it
 * rejects what was removed.
 */
export function createExecute<Caller>(
  schema: GraphQLSchema,
  {
    services,
    contextOf = () => services,
    onExecuted,
    onDeprecatedCall,
    onMutation,
    now = Date.now,
  }: ExecuteOptions<Caller>,
): Execute<Caller> {
  const read = createCoalescedReads<OperationRequest<Caller>>({
    execute: async (args, request) => {
      const result = await executeOnce(args);
      onExecuted?.(args, request);
      return result;
    },
    services,
    contextOf,
  });
  const execute: Execute<Caller> = async (operation, request) => {
    const args = { schema, ...operation };
    const uses = usesOf(args);
    const fault = uses.length === 0 ? undefined : removalFault(uses, now());
    const result = fault === undefined ? await read(args, request) : { errors: [fault] };
    for (const of of deprecatedCalls(uses, fault === undefined ? result : { data: null })) {
      onDeprecatedCall?.(request, of);
    }
    // Each request that shares an error records where the error is logged.
    result.errors?.forEach(publicError);
    return result;
  };
  const told = onMutation === undefined ? execute : tellMutations(schema, execute, onMutation);
  return tracer.executions(told, schema, ({ document, operationName }) =>
    getOperationAST(document, operationName),
  );
}

async function executeOnce(args: OperationArgs): Promise<ExecutionResult> {
  const isLarge = areLarge(args);
  const refusal = isLarge ? refusedVariables(args) : undefined;
  if (refusal !== undefined) {
    return { errors: [refusal] };
  }
  const result =
    (isLarge ? undefined : await executeCompiled(args)) ?? (await executeByReference(args));
  return result.errors === undefined
    ? result
    : { ...result, errors: errorsWithVariablesNamed(result, args).map(publicError) };
}
