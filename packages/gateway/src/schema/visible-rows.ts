import type { GraphQLSchema } from 'graphql';
import { noteOwnRead, reportingOwnReads } from '@store-gateway/ops';
// For the type of `extensions.visibleRows`.
import '@store-gateway/resource';
import { ViolationError } from '@store-gateway/postgres';
import { type RowRules, visibleRows } from '@store-gateway/data';
import type { Database } from '../database/client.ts';

/** The databases that a schema's rules of visible rows make of one. */
interface VisibleDatabases {
  /** Of a request, by its context. It tells when an answer depends on the caller. */
  readonly ofRequest: (context: object) => object;
  /** Of no caller, who sees no row of a type that has a rule. */
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

/** The same errors as the database's. */
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
