import type { GraphQLSchema } from 'graphql';
import type { Models } from '@store-gateway/data';
import { StartupFailure } from '@store-gateway/ops';
import { auditedTypes } from './audited.ts';
import type { GatewayDatabase } from './client.ts';

/** Foreign keys by which the database itself changes rows of a table, or removes them. */
const ACTIONS = {
  name: 'referential-actions',
  text: `
    SELECT conname, confrelid::regclass FROM pg_constraint
    WHERE contype = 'f' AND confdeltype IN ('c', 'n', 'd')
      AND conrelid = to_regclass(quote_ident($1)) ORDER BY conname LIMIT 1`,
};

/**
 * Expects that all changes of audited rows can be noted: statements are made from their models, and the database changes none
 * by itself when a row that they refer to is deleted.
 *
 * @throws StartupFailure that says what to change
 */
export async function expectAuditable(
  schema: GraphQLSchema,
  models: Models,
  { $read }: Pick<GatewayDatabase, '$read'>,
): Promise<void> {
  for (const { name, model } of auditedTypes(schema)) {
    const audited = models[model];
    if (audited === undefined) {
      throw new StartupFailure(
        `${name} can't have audit: true, because no statements can be generated for its model: give ${model} an id of one column, and columns of Prisma's plain types`,
      );
    }
    const [action] = await $read(ACTIONS, [audited.table]);
    if (action !== undefined) {
      const [constraint, table] = action;
      throw new StartupFailure(
        `${name} has audit: true, but the database itself changes its rows when rows of ${table} are deleted: give the relation of ${constraint} onDelete: Restrict, or remove audit: true`,
      );
    }
  }
}
