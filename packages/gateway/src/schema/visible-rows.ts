import type { GraphQLSchema } from 'graphql';
import { noteOwnRead, reportingOwnReads } from '@store-gateway/ops';
// For the type of `extensions.visibleRows`.
import '@store-gateway/resource';
import { ViolationError } from '@store-gateway/postgres';
import { type RowRules, visibleRows } from '@store-gateway/data';
import type { Database } from '../database/client.ts';

/** Views of a database by a schema's row rules. */
interface VisibleDatabases {
  /** For a request, by its context. It reports when an answer depends on the caller. */
  readonly ofRequest: (context: object) => object;
  /** For no caller: it shows no rows of types with a rule. */
  readonly ofNobody: object;
}

/** Undefined if no type of the schema has a rule. */
export function visibleDatabases(
  { extensions: { visibleRows: ruled } }: GraphQLSchema,
  database: Database,
): VisibleDatabases | undefined {
  if (ruled === undefined) {
    return undefined;
  }
  const { models, rules } = ruled;
  const refusals = refusalsOf(database);
  const ofCaller = visibleRows<object, object>(database, {
    models,
    rules,
    refusals,
    onRuledCall: (model) => noteOwnRead(`the visible rows of ${model}`),
  });
  const nothing: RowRules<object> = Object.fromEntries(
    Object.entries(rules).map(([model, { columns }]) => [model, { columns, where: () => false }]),
  );
  return {
    ofRequest: (context) => reportingOwnReads(ofCaller(context)),
    ofNobody: visibleRows<object, object>(database, {
      models,
      rules: nothing,
      refusals,
    })({}),
  };
}

/** With the same errors as the database's. */
function refusalsOf(database: Database) {
  return {
    value: (_model: string, fields: readonly string[]) =>
      new ViolationError({ kind: 'check', names: [], fields }),
    reference: async (model: string, field: string) => {
      const names = await database.$referenceNames(model, field);
      return new ViolationError({
        kind: 'reference',
        names,
        ...(names.length === 0 && { fields: [field] }),
      });
    },
  };
}
