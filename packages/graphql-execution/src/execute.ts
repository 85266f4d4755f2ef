import {
  execute as executeByReference,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { recorder } from '@gateway/telemetry/recorder';
import { publicError } from '@gateway/errors/public-error';
import { removalsIn } from '@gateway/pothos-plugins/removals';
import { tracer } from '@gateway/telemetry/tracer';
import { executeCompiled } from './compiled.ts';
import { createSharedReads } from './coalesced-reads.ts';
import { errorsWithVariablesNamed } from './variable-errors.ts';

/** An operation of the schema, in a valid document. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Whose request an operation is part of, and what they have named it. */
export interface Request<Caller> {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
}

/**
 * Executes an operation of a request. Nothing is thrown, and all errors of the result are fit to be told.
 * The result may be shared with others who asked for the same: it is not to be changed.
 */
export type Execute<Caller> = (
  operation: Operation,
  request: Request<Caller>,
) => Promise<ExecutionResult>;

/** Executes one in the time that its request has left: rejects with SERVICE_UNAVAILABLE or OVERLOADED otherwise. */
export type ExecuteInTime<Caller> = (
  operation: Operation,
  request: Request<Caller> & {
    /** Milliseconds that it has waited for the database already. */
    readonly waited: number;
  },
) => Promise<ExecutionResult>;

/**
 * What both surfaces execute by.
 *
 * @param contextOf a fresh context for each request
 */
export function createExecute<Caller>(
  schema: GraphQLSchema,
  contextOf: (request: Request<Caller>) => object,
): Execute<Caller> {
  const share = createSharedReads();
  recorder.removalsPlanned(removalsIn(schema));
  const execute: Execute<Caller> = async (operation, request) => {
    const result = await share(
      { schema, ...operation, contextValue: contextOf(request) },
      executeOnce,
    );
    // Each request that shares an error is to know where it is logged.
    result.errors?.forEach(publicError);
    return result;
  };
  return tracer.executions(execute, schema);
}

async function executeOnce(args: ExecutionArgs): Promise<ExecutionResult> {
  const result = (await executeCompiled(args)) ?? (await executeByReference(args));
  return result.errors === undefined
    ? result
    : { ...result, errors: errorsWithVariablesNamed(result, args).map(publicError) };
}
