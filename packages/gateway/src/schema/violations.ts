import type { Violation } from '@store-gateway/schema-extensions/violation-error';
import { asUnavailableToPrisma } from '@store-gateway/postgres/failure';
import { violationOf } from '@store-gateway/postgres/violation';
import type { Context } from '../context.ts';

/**
 * What an error of the database says of a field's inputs, if it does.
 *
 * @throws SERVICE_UNAVAILABLE if it says that there is no database, and the store's own error for a constraint
 */
export async function violationIn(
  error: unknown,
  { violatedFields, violations = {} }: Pick<Context, 'violatedFields' | 'violations'>,
): Promise<Violation | undefined> {
  const known = asUnavailableToPrisma(error);
  if (known !== error) {
    throw known;
  }
  const violation = violationOf(error);
  const own = violation?.names.find((name) => Object.hasOwn(violations, name));
  if (own !== undefined) {
    throw violations[own]?.();
  }
  return violation && { kind: violation.kind, ...(await violatedFields(violation)) };
}
