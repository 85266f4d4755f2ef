import { typeOf } from './column-types.ts';
import { comparedColumns } from './conditions.ts';
import { databaseOrderOf } from './database-order.ts';
import { createFindByIds } from './find-by-ids.ts';
import { createFindPages } from './find-pages.ts';
import type { Model } from './model.ts';
import { shapeFinder, type FindShape } from './page-shape.ts';
import { createFindByIds as findShardedByIds } from './sharded/find-by-ids.ts';
import { createFindPages as findShardedPages } from './sharded/find-pages.ts';
import { columnOf } from './sql.ts';
import type { TableOptions } from './statement.ts';
import { changeEncoder, createEncoder } from './write-shape.ts';
import { createWrite } from './write.ts';

/** What can be done with a model's rows by statements. */
export interface Table extends ReturnType<typeof createTable> {
  /** All, by the names of their models. */
  readonly tables: ReadonlyMap<string, Table>;
}

/** What reads and writes rows, which differs on a sharded database. */
type Statements = ReturnType<typeof statementsOf>;

function statementsOf(model: Model, options: TableOptions) {
  const databaseOrder = databaseOrderOf(model, options.read);
  const [byIds, pages] =
    options.isSharded === true
      ? [findShardedByIds, findShardedPages]
      : [createFindByIds, createFindPages];
  return {
    findByIds: byIds(model, options),
    findPages: pages(model, databaseOrder, options),
    write: createWrite(model, options),
  };
}

/** Runs again what fails because the database has become a sharded one: such a statement has had no effect. */
function switchingStatements(
  model: Model,
  options: TableOptions,
  { hasHappened, isCauseOf }: NonNullable<TableOptions['laterSharding']>,
): Statements {
  const plain = statementsOf(model, options);
  let sharded: Statements | undefined;
  const switching =
    <Input extends unknown[], Output>(
      methodOf: (statements: Statements) => (...input: Input) => Promise<Output>,
    ) =>
    (...input: Input): Promise<Output> => {
      const runSharded = (): Promise<Output> => {
        sharded ??= statementsOf(model, { ...options, isSharded: true });
        return methodOf(sharded)(...input);
      };
      return hasHappened()
        ? runSharded()
        : methodOf(plain)(...input).catch(async (error: unknown) => {
            if (await isCauseOf(error)) return runSharded();
            throw error;
          });
    };
  return {
    findByIds: switching(({ findByIds }) => findByIds),
    findPages: switching(({ findPages }) => findPages),
    write: switching(({ write }) => write),
  };
}

export function createTable(model: Model, options: TableOptions) {
  const compared = comparedColumns(model);
  const shapeOf: FindShape = shapeFinder(model);
  const { laterSharding } = options;
  return {
    model,
    ...(laterSharding === undefined
      ? statementsOf(model, options)
      : switchingStatements(model, options, laterSharding)),
    encodeId: typeOf(columnOf(model, model.id)).encode,
    comparedColumns: compared,
    shapeOf,
    encodeCreate: createEncoder(model),
    encodeChange: changeEncoder(model, compared),
  };
}
