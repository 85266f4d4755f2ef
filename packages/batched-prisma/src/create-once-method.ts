import { membersOf, type Arguments } from './arguments.ts';
import type { Deduplicated, IdempotencyKey } from './deduplicated-create.ts';
import { generatorOf } from './deduplicated-create-statements.ts';
import { LeftToEngine } from './lazy-result.ts';
import { project } from './load.ts';
import { projectionOf } from './projection.ts';
import type { Row } from './rows.ts';
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
export function createOnceMethod(table: Table, tables: Tables, findUnique: Engine) {
  return async ({
    data,
    idempotencyKey,
    ...selection
  }: CreateOnceArguments): Promise<Deduplicated> => {
    const values = valuesOf(data, table);
    const created = await table.createOnce({ idempotencyKey, values });
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
  return { ...(present instanceof Object && present), ...row };
}

/** The parameters of all columns, null for what the database generates. */
function valuesOf(data: unknown, { model, encoders }: Table): (string | null)[] {
  const members = membersOf(data) ?? {};
  const unknown = Object.keys(members).find((field) => !encoders.has(field));
  if (unknown !== undefined) {
    throw new TypeError(`${model.name}.createOnce sets columns alone, not ${unknown}`);
  }
  return model.columns.map((column) => {
    const { field, isRequired, default: byDefault } = column;
    const constant = typeof byDefault === 'object' ? byDefault.constant : undefined;
    const value = members[field] ?? (members[field] === undefined ? constant : null);
    const mayBeLeftOut =
      generatorOf(model, column) !== undefined || (!isRequired && byDefault === undefined);
    if (value === undefined && mayBeLeftOut) {
      return null;
    }
    const encoded = value === undefined ? undefined : encoders.get(field)?.(value);
    if (encoded === undefined) {
      throw new TypeError(`${model.name}.createOnce can't store this value of ${field}`);
    }
    return encoded;
  });
}
