import type { Violation } from '@gateway/pothos-plugins/violation-error';
import { violationOf } from '@gateway/postgres/violation';
import type { Context } from '../context.ts';

/** What an error of the database says of a field's inputs, if it does. */
export async function violationIn(
  error: unknown,
  { database }: Context,
): Promise<Violation | undefined> {
  const violation = violationOf(error);
  return violation && { kind: violation.kind, fields: await database.$fieldsOf(violation) };
}
