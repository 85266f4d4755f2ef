import type { DocumentNode, ExecutionResult } from 'graphql';
import type { Caller } from '../auth/caller.ts';

/** Executes one operation of the schema, in the process, for a caller. Its errors are fit to be told. */
export type Execute = (
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
) => Promise<ExecutionResult>;
