import type { GraphQLSchema } from 'graphql';
import { databaseOrderOf, type Models } from '@store-gateway/data';
import { StartupFailure } from '@store-gateway/ops';
import { prefixedColumns } from '@store-gateway/resource';
import type { GatewayDatabase } from './client.ts';

/**
 * Checks that the database orders texts by bytes where a list can be restricted by a prefix. Otherwise it would read all
 * rows for a rare prefix.
 *
 * @throws StartupFailure that says what to change
 */
export async function expectPrefixes(
  schema: GraphQLSchema,
  models: Models,
  { $read }: Pick<GatewayDatabase, '$read'>,
): Promise<void> {
  for (const [name, fields] of prefixedColumns(schema)) {
    const model = models[name];
    const columns = model?.columns.filter(({ field }) => fields.has(field)) ?? [];
    if (model === undefined || columns.length === 0) {
      continue;
    }
    const { bytewise } = await databaseOrderOf(model, $read)();
    const other = columns.find(({ column }) => !bytewise.has(column));
    if (other !== undefined) {
      throw new StartupFailure(
        `lists of ${name} can't be restricted by a prefix of ${other.field}, because the database doesn't order its texts by bytes: ALTER TABLE "${model.table}" ALTER COLUMN "${other.column}" TYPE ${other.pgType} COLLATE "C", or remove the prefix`,
      );
    }
  }
}
