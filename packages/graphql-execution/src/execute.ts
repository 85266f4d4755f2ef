import {
  execute as executeByReference,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Caller } from '../../../src/auth/caller.ts';
import type { Context, World } from '../../../src/context.ts';
import { recorder } from '@gateway/telemetry/recorder';
import { publicError } from '@gateway/errors/public-error';
import { namesWithin } from '../../../src/schema/idempotency.ts';
import { schema } from '../../../src/schema/index.ts';
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
export interface Request {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
}

/**
 * Executes an operation of a request. Nothing is thrown, and all errors of the result are fit to be told.
 * The result may be shared with others who asked for the same: it is not to be changed.
 */
export type Execute = (operation: Operation, request: Request) => Promise<ExecutionResult>;

/** Executes one in the time that its request has left: rejects with SERVICE_UNAVAILABLE or OVERLOADED otherwise. */
export type ExecuteInTime = (
  operation: Operation,
  request: Request & {
    /** Milliseconds that it has waited for the database already. */
    readonly waited: number;
  },
) => Promise<ExecutionResult>;

/** The schema on one database: both surfaces execute by this alone. */
export function createExecute(world: World): Execute {
  const share = createSharedReads();
  recorder.removalsPlanned(removalsIn(schema));
  const execute: Execute = async (operation, { caller, idempotencyKey }) => {
    const nextName = idempotencyKey === undefined ? undefined : namesWithin(idempotencyKey);
    const contextValue: Context = { ...world, caller, nextName };
    const args = { schema, ...operation, contextValue };
    const result = await share(args, executeOnce);
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
