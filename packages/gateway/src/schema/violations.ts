import type { Violation } from '@gateway/pothos-plugins/violation-error';
import { asUnavailableToPrisma } from '@gateway/postgres/failure';
import { violationOf } from '@gateway/postgres/violation';
import type { Context } from '../context.ts';

/**
 * What an error of the database says of a field's inputs, if it does.
 *
 * @throws SERVICE_UNAVAILABLE if it says that there is no database
 */
export async function violationIn(
  error: unknown,
  { violatedFields }: Pick<Context, 'violatedFields'>,
): Promise<Violation | undefined> {
  const known = asUnavailableToPrisma(error);
  if (known !== error) {
    throw known;
  }
  const violation = violationOf(error);
  return violation && { kind: violation.kind, ...(await violatedFields(violation)) };
}
