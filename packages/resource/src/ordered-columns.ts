import type { SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';
import { text } from '@store-gateway/graphql';
import { idColumn } from './id-columns.ts';

/** A column that lists can be ordered by: its values as text, exactly, and back. */
export interface OrderedColumn {
  readonly field: string;
  /** PostgreSQL's type. */
  readonly pgType: string;
  readonly isText: boolean;
  readonly toText: (value: unknown) => string;
  /** As Prisma takes it; undefined for what isn't the text of a value. */
  readonly valueOf: (text: string) => unknown;
}

type Texts = Pick<OrderedColumn, 'toText' | 'valueOf'>;

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Longer texts don't fit into an index. */
const TEXT = text(0, 8191);

const ofText: Texts = {
  toText: String,
  valueOf: (value) => (TEXT.accepts(value) ? value : undefined),
};

const ofMoment: Texts = {
  toText: (value) => (value instanceof Date ? value.toISOString() : String(value)),
  valueOf: (value) => {
    const moment = new Date(value);
    const isExact = !Number.isNaN(moment.getTime()) && moment.toISOString() === value;
    return isExact ? moment : undefined;
  },
};

/** By PostgreSQL's types, those of integers apart. */
const TEXTS: Readonly<Record<string, Texts>> = {
  text: ofText,
  varchar: ofText,
  'double precision': {
    toText: String,
    valueOf: (value) => {
      const number = Number(value);
      return Number.isFinite(number) && String(number) === value ? number : undefined;
    },
  },
  numeric: {
    toText: (value) => {
      const toFixed: unknown = value instanceof Object ? Reflect.get(value, 'toFixed') : undefined;
      return typeof toFixed === 'function'
        ? String(Reflect.apply(toFixed, value, []))
        : String(value);
    },
    valueOf: (value) => (DECIMAL.test(value) ? value : undefined),
  },
  timestamp: ofMoment,
  timestamptz: ofMoment,
  date: ofMoment,
};

const INTEGERS = new Set(['bigint', 'integer', 'smallint']);

/** @throws an error that says which columns lists can be ordered by, if this is another */
export function orderedColumn<Types extends SchemaTypes>(
  model: string,
  field: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): OrderedColumn {
  const { isRequired = false } =
    getModel(model, builder).fields.find(({ name }) => name === field) ?? {};
  const { columns = [] } = builder.options.resources?.models[model] ?? {};
  const { pgType = '', isFiner = false } = columns.find((column) => column.field === field) ?? {};
  const ids = INTEGERS.has(pgType) ? idColumn(model, field, builder) : undefined;
  const texts = ids === undefined ? TEXTS[pgType] : { toText: String, valueOf: ids.valueOf };
  if (texts === undefined || !isRequired || isFiner) {
    throw new Error(
      `${model} can't be ordered by ${field}: only required columns of integers, decimals, floats, text, days and times to the millisecond (@db.Timestamptz(3)) can, and the builder's option resources.models must have the model`,
    );
  }
  return { field, pgType, isText: texts === ofText, ...texts };
}
