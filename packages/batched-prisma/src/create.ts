import type { CreateBatcher } from './batcher.ts';
import type { Model, Row } from './model.ts';
import { rowDecoder, rowsAsLists } from './rows.ts';
import { columnOf, literal, quoted } from './sql.ts';
import type { RunStatement, Statement } from './statement.ts';

/** The values of all columns in their order; of an id that the sequence is to give, null. */
export type NewRow = readonly (string | null)[];

/** Adds a row, and answers when it is committed; those of a batch in one statement, which is one transaction. */
export function createCreate(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): (row: NewRow) => Promise<Row> {
  const statement = createAll(model);
  const decode = rowDecoder(model);
  return createBatcher(async (requests) => {
    const [[numbers, ...lists] = []] = await run(
      statement,
      model.columns.map((_column, index) => requests.map(({ input }) => input[index] ?? null)),
    );
    const rows = decode(lists);
    if (rows.length < requests.length) {
      throw new Error(`the database has taken rows of ${model.name} without keeping them`);
    }
    for (const [index, number] of (numbers?.split(',') ?? []).entries()) {
      const row = rows[index];
      if (row !== undefined) {
        requests[Number(number) - 1]?.resolve(row);
      }
    }
  });
}

/**
 * Ids are given out before anything is inserted, because nothing says in which order an INSERT returns its rows: by its
 * id each finds its request.
 */
function createAll(model: Model): Statement {
  const names = model.columns.map(({ column }) => quoted(column)).join(', ');
  const id = quoted(columnOf(model, model.id).column);
  const given = model.columns.map(({ field, column }) =>
    field === model.id && model.sequence !== undefined
      ? `coalesce(${quoted(column)}, nextval(${literal(quoted(...model.sequence))}::regclass)) AS ${id}`
      : quoted(column),
  );
  const types = model.columns.map(({ pgType }, index) => `$${index + 1}::${pgType}[]`).join(', ');
  return {
    name: `${model.name}.createAll`,
    text: `
    WITH requested AS MATERIALIZED (
      SELECT ${given.join(', ')}, batch_position
      FROM unnest(${types}) WITH ORDINALITY AS requested (${names}, batch_position)
    ), inserted AS (
      INSERT INTO ${quoted(...model.table)} (${names}) SELECT ${names} FROM requested
      RETURNING ${names}
    )
    SELECT string_agg(requested.batch_position::text, ','), ${rowsAsLists(model, 'inserted')}
    FROM inserted JOIN requested ON requested.${id} = inserted.${id}`,
  };
}
