import { tooSlow } from '@store-gateway/ops/errors';
import { isExpected, unexpectedVersion } from '@store-gateway/graphql';

/** How often a change is tried while others change the row between its read and its change. */
const MAX_ATTEMPTS = 20;

/** A change of one row that is only to be made if the row's version is expected. */
interface ConditionalChange<Id, Row extends object> {
  readonly id: Id;
  readonly expected: readonly string[];
  readonly versionOf: (row: Row) => string;
  /** The condition that a row is as it was read. */
  readonly asRead: (row: Row) => object;
  readonly find: () => Promise<Row | null>;
  readonly change: (where: { readonly id: Id }) => Promise<Row>;
  /** Whether an error of `change` says that there is no such row. */
  readonly isMissing: (error: unknown) => Promise<boolean>;
}

/**
 * Makes the change in one statement, whose condition is the row as it was read: a row that has changed since has another
 * version, and is read again. Where that isn't expected, it makes a change of no row, for which a change that was made before
 * under the same idempotency key is still answered.
 *
 * @throws PRECONDITION_FAILED if the row has a version that isn't expected, SERVICE_UNAVAILABLE if others change it all the
 *   time, and what `change` throws if there is no row
 */
export async function changeIfExpected<Id, Row extends object>({
  id,
  expected,
  versionOf,
  asRead,
  find,
  change,
  isMissing,
}: ConditionalChange<Id, Row>): Promise<Row> {
  const look = async () => {
    const row = await find();
    return row && { row, version: versionOf(row) };
  };
  let seen = await look();
  for (let attempt = 1; ; attempt += 1) {
    const condition =
      seen !== null && isExpected(expected, seen.version) ? asRead(seen.row) : { NOT: { id } };
    try {
      return await change({ id, ...condition });
    } catch (error) {
      const now = (await isMissing(error)) ? await look() : null;
      if (now === null) {
        throw error;
      }
      // If it is as it was, something else than its version prevents the change.
      if (now.version === seen?.version || !isExpected(expected, now.version)) {
        throw unexpectedVersion(expected, now.version);
      }
      if (attempt === MAX_ATTEMPTS) {
        throw tooSlow(`others changed the row ${MAX_ATTEMPTS} times in the meantime`);
      }
      seen = now;
    }
  }
}
