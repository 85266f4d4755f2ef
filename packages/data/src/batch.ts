import type { CreateBatcher, Statement, TextRow } from '@store-gateway/ops';
import type { RunStatement } from './statement.ts';

/** The statements of a batch. */
export interface BatchStatements {
  /** Its parameters are lists, with a value for each request. */
  readonly several: Statement;
  /** For a single request: its parameters are values, which takes the database less. Its columns are the same. */
  readonly single: Statement;
}

export function batchStatements(
  name: string,
  textOf: (size: keyof BatchStatements) => string,
): BatchStatements {
  return {
    several: { name, text: textOf('several') },
    single: { name, preparedAs: `${name}:one`, text: textOf('single') },
  };
}

/** @param lists the parameters, with a value for each request */
export function runBatch(
  run: RunStatement,
  { several, single }: BatchStatements,
  lists: readonly (readonly (string | null)[])[],
): Promise<readonly TextRow[]> {
  return lists[0]?.length === 1
    ? run(
        single,
        lists.map(([value = null]) => value),
      )
    : run(several, lists);
}

/**
 * Batches requests that are lists: all are run as one, and each gets what its own elements have got.
 *
 * @param isFault whether an error may be of some requests only, so that each is run alone
 */
export function batchLists<Input, Output>(
  createBatcher: CreateBatcher,
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  isFault = (_error: unknown): boolean => false,
): (inputs: readonly Input[]) => Promise<readonly Output[]> {
  return createBatcher<readonly Input[], readonly Output[]>((batch) =>
    runOrSplit(batch, isFault, async (requests) => {
      const outputs = await run(requests.flatMap(({ input }) => input));
      let start = 0;
      for (const { input, resolve } of requests) {
        resolve(outputs.slice(start, start + input.length));
        start += input.length;
      }
    }),
  );
}

/** The number of parts into which a rejected batch is split. Usually a single request is at fault. */
const PARTS = 4;

/** A rejected batch of this size or smaller is split into single requests. */
const FEW = 8;

/**
 * Runs requests as one batch. If the database rejects it, splits it further and further, so that no request fails because of
 * another's values.
 *
 * @throws what isn't the fault of any values
 */
async function runOrSplit<Request extends { readonly reject: (error: unknown) => void }>(
  requests: readonly Request[],
  isFault: (error: unknown) => boolean,
  run: (requests: readonly Request[]) => Promise<void>,
): Promise<void> {
  try {
    await run(requests);
  } catch (error) {
    if (requests.length === 1 || !isFault(error)) {
      throw error;
    }
    const size = requests.length > FEW ? Math.ceil(requests.length / PARTS) : 1;
    const parts = Array.from({ length: Math.ceil(requests.length / size) }, (_, part) =>
      requests.slice(part * size, (part + 1) * size),
    );
    await runGroups(parts, isFault, run);
  }
}

/**
 * Runs groups of requests concurrently with `runOrSplit`. An error that it throws rejects all requests of its group.
 *
 * @throws what isn't the fault of any values, once all have run
 */
export async function runGroups<Request extends { readonly reject: (error: unknown) => void }>(
  groups: readonly (readonly Request[])[],
  isFault: (error: unknown) => boolean,
  run: (requests: readonly Request[]) => Promise<void>,
): Promise<void> {
  const outcomes = await Promise.allSettled(groups.map((group) => runOrSplit(group, isFault, run)));
  let failure: { readonly error: unknown } | undefined;
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') {
      const error: unknown = outcome.reason;
      groups[index]?.forEach(({ reject }) => reject(error));
      if (!isFault(error)) {
        failure = { error };
      }
    }
  }
  if (failure !== undefined) {
    throw failure.error;
  }
}
