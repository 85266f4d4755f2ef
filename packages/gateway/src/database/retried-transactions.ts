import { retryConflicts } from '@gateway/postgres/retry-conflicts';

/**
 * An extension for a client whose `$transaction` runs a transaction again that has lost to others. The database has undone what
 * it did; what its callback does elsewhere is done again.
 *
 * @param base the client without extensions
 * @returns what adds nothing to Prisma's types, since the method is its own
 */
export function retriedTransactions(
  base: { readonly $transaction: (...args: never) => Promise<unknown> },
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- so that Prisma's types stay as they are
): Record<never, never> {
  return {
    client: {
      $transaction(this: object, ...args: unknown[]): Promise<unknown> {
        return retryConflicts(async () => {
          const result: unknown = await Reflect.apply(base.$transaction, this, args);
          return result;
        });
      },
    },
  };
}
