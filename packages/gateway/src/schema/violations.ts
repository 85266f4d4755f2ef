import type { Context } from '../definition.ts';
import type { Violation } from '@store-gateway/graphql';
import { asUnavailableToPrisma, raisedOf, violationOf } from '@store-gateway/postgres';

/**
 * What an error of the database says of a field's inputs, if it does.
 *
 * @throws SERVICE_UNAVAILABLE if it says that there is no database, and the store's own error for a constraint or a SQLSTATE
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
  // What a trigger says may be meant for operators: only a store that expects its SQLSTATE passes it on.
  const raised = raisedOf(error);
  const names = raised === undefined ? violation?.names : [raised.sqlState];
  const own = names?.find((name) => Object.hasOwn(violations, name));
  if (own !== undefined) {
    throw violations[own]?.(raised?.message ?? '');
  }
  return violation && { kind: violation.kind, ...(await violatedFields(violation)) };
}
