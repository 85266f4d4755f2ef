import { typeOf } from './column-types.ts';
import { comparedColumns } from './conditions.ts';
import { createFindByIds, createFindByIdsOnShards } from './find-by-ids.ts';
import { createFindPages, createFindPagesOnShards, databaseOrderOf } from './find-pages.ts';
import { columnOf, type Model } from './model.ts';
import { type FindShape, shapeFinder } from './page.ts';
import type { Table } from './projection.ts';
import type { TableOptions } from './statements.ts';
import { changeEncoder, createEncoder } from './write-arguments.ts';
import { createWrite } from './write.ts';

/** The functions that read and write rows. They differ on a sharded database. */
type Statements = ReturnType<typeof statementsOf>;

function statementsOf(model: Model, options: TableOptions) {
  const databaseOrder = databaseOrderOf(model, options.read);
  const [byIds, pages] =
    options.isSharded === true
      ? [createFindByIdsOnShards, createFindPagesOnShards]
      : [createFindByIds, createFindPages];
  return {
    findByIds: byIds(model, options),
    findPages: pages(model, databaseOrder, options),
    write: createWrite(model, options),
  };
}

/** Retries a call that fails because the database has become sharded. The failed statement had no effect. */
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

export function createTable(model: Model, options: TableOptions): Omit<Table, 'tables'> {
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
