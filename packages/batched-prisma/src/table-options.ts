import type { CreateBatcher } from '@gateway/coalescing/batcher';
import type { RunStatement } from './statement.ts';

/** How the statements of all tables are run. */
export interface TableOptions {
  /** Runs what reads, and what writes. */
  readonly read: RunStatement;
  readonly write: RunStatement;
  readonly createBatcher: CreateBatcher;
  /** Whether the database has executed a statement, and found fault with what it was given. */
  readonly isFault: (error: unknown) => boolean;
  /** Called for each call of a model that statements have answered. */
  readonly onAnswer?: (model: string, operation: string) => void;
}
