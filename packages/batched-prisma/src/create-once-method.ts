import { membersOf, type Arguments } from './arguments.ts';
import type { Deduplicated, IdempotencyKey } from './deduplicated-create.ts';
import { generatorOf } from './deduplicated-create-statements.ts';
import { LeftToEngine } from './lazy-result.ts';
import { project } from './load.ts';
import { projectionOf } from './projection.ts';
import type { Row } from './model.ts';
import type { Table } from './table.ts';

/** Arguments of Prisma's `create`, and the key under which it is made once. */
export interface CreateOnceArguments extends Arguments {
  readonly idempotencyKey: IdempotencyKey;
}

type Tables = ReadonlyMap<string, Table>;
type Engine = (args: object) => PromiseLike<unknown>;

/**
 * A model's `createOnce`. It answers with the columns as they were first created, and with relations as they are.
 *
 * @param findUnique Prisma's own, for what statements don't select
 */
export function createOnceMethod(
  table: Table,
  tables: Tables,
  findUnique: Engine,
  onAnswer: () => void,
) {
  const encode = encoderOfData(table);
  return async ({
    data,
    idempotencyKey,
    ...selection
  }: CreateOnceArguments): Promise<Deduplicated> => {
    const created = await table.createOnce({ idempotencyKey, values: encode(data) });
    onAnswer();
    return created.reused
      ? created
      : { reused: false, row: await select(created.row, selection, table, tables, findUnique) };
  };
}

async function select(
  row: Row,
  selection: Arguments,
  table: Table,
  tables: Tables,
  findUnique: Engine,
): Promise<Row> {
  const { model } = table;
  const projection = projectionOf(selection, model, tables);
  try {
    const [projected] = projection === undefined ? [] : await project([row], projection, table);
    if (projected !== undefined) {
      return projected;
    }
  } catch (error) {
    if (!(error instanceof LeftToEngine)) {
      throw error;
    }
  }
  const present = await findUnique({ where: { [model.id]: row[model.id] }, ...selection });
  return typeof present === 'object' ? Object.assign({}, present, row) : row;
}

/** Gives the parameters of all columns, null for what the database generates. */
function encoderOfData({ model, encoders }: Table): (data: unknown) => (string | null)[] {
  const columns = model.columns.map((column) => {
    const { field, isRequired, default: byDefault } = column;
    return {
      field,
      encode: encoders.get(field),
      constant: typeof byDefault === 'object' ? byDefault.constant : undefined,
      mayBeLeftOut:
        generatorOf(model, column) !== undefined || (!isRequired && byDefault === undefined),
    };
  });
  return (data) => {
    const members = membersOf(data) ?? {};
    const unknown = Object.keys(members).find((field) => !encoders.has(field));
    if (unknown !== undefined) {
      throw new TypeError(`${model.name}.createOnce sets columns alone, not ${unknown}`);
    }
    return columns.map(({ field, encode, constant, mayBeLeftOut }) => {
      const value = members[field] === undefined ? constant : members[field];
      if (value === undefined && mayBeLeftOut) {
        return null;
      }
      const encoded = value === undefined ? undefined : encode?.(value);
      if (encoded === undefined) {
        throw new TypeError(`${model.name}.createOnce can't store this value of ${field}`);
      }
      return encoded;
    });
  };
}
