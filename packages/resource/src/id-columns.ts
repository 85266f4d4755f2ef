import type { SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';
import type { Json } from '@store-gateway/ops';
import { int64, integerBetween, text, toInt64, uuid, type InputRule } from '@store-gateway/graphql';

/** PostgreSQL's types of columns, and relations, as the generator of batched-prisma writes them. */
export type ColumnTypes = Readonly<
  Record<
    string,
    {
      readonly columns: readonly {
        readonly field: string;
        readonly pgType: string;
        readonly isFiner?: true;
      }[];
      /** `one`: to the row whose id a column has. */
      readonly relations?: readonly { readonly field: string; readonly kind: string }[];
    }
  >
>;

/** What a column of ids takes of an ID, which is text. */
export interface IdColumn {
  readonly rule: InputRule;
  /** As JSON has it. */
  readonly example: Json;
  /** The value of an ID as Prisma takes it; undefined if it can't be one of the column's. */
  readonly valueOf: (id: string) => unknown;
}

/** Longer texts don't fit into an index. */
const MAX_TEXT = 8191;

const ofText = (rule: InputRule, example: string): IdColumn => ({
  rule,
  example,
  valueOf: (id) => (rule.accepts(id) ? id : undefined),
});

const ofInt = (bits: 16 | 32): IdColumn => {
  const [minimum, maximum] = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
  const { expected, jsonSchema } = integerBetween(minimum, maximum);
  const valueOf = (id: string): number | undefined => {
    const value = Number(toInt64(id) ?? Number.NaN);
    return value >= minimum && value <= maximum ? value : undefined;
  };
  return {
    rule: {
      expected,
      accepts: (id) => typeof id === 'string' && valueOf(id) !== undefined,
      jsonSchema: bits === 32 ? { type: 'integer', format: 'int32' } : jsonSchema,
    },
    example: 42,
    valueOf,
  };
};

const COLUMNS: Readonly<Record<string, IdColumn>> = {
  bigint: { rule: int64, example: 42, valueOf: toInt64 },
  integer: ofInt(32),
  smallint: ofInt(16),
  uuid: ofText(uuid, '0194f3c2-7c1e-4b6a-9d52-3f8a6c0e1b47'),
  text: ofText(text(1, MAX_TEXT), 'tz4a98xxat96iws9zmbrgj3a'),
};

/** By Prisma's types, of models that statements aren't made from. They don't say what text is stored as. */
const BY_PRISMA: Readonly<Record<string, string>> = { BigInt: 'bigint', Int: 'integer' };

/** What a field of a model takes of an ID; undefined if that isn't known. */
export function idColumn<Types extends SchemaTypes>(
  model: string,
  field: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): IdColumn | undefined {
  const { type } = getModel(model, builder).fields.find(({ name }) => name === field) ?? {};
  const { columns = [] } = builder.options.resources?.models[model] ?? {};
  const { pgType = BY_PRISMA[type ?? ''] } = columns.find((each) => each.field === field) ?? {};
  return COLUMNS[pgType ?? ''];
}

/** What a model's id takes. @throws an error that says which ids lists have, if the model has another */
export function idOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): IdColumn {
  const isId = getModel(model, builder).fields.some(({ name, isId: is }) => name === 'id' && is);
  const column = isId ? idColumn(model, 'id', builder) : undefined;
  if (column === undefined) {
    throw new Error(
      `${model} can't be listed or fetched: its id must be a field called id, stored as bigint, integer, smallint, uuid or text, and the builder's option resources.models must have the model`,
    );
  }
  return column;
}
