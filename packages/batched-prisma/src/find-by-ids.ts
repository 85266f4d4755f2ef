import type { CreateBatcher } from './batcher.ts';
import type { Model, Row } from './model.ts';
import { rowDecoder, rowsAsLists } from './rows.ts';
import { columnOf, quoted } from './sql.ts';
import type { RunStatement, Statement } from './statement.ts';

export type FindByIds = (ids: readonly string[]) => Promise<readonly (Row | null)[]>;

/**
 * One row for each of the ids, null where there is none; the requests of a batch in one statement. A single id has its own,
 * which takes the database less.
 */
export function createFindByIds(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindByIds {
  const statement = findByIds(model);
  const ofOne = findById(model);
  const decode = rowDecoder(model);
  return createBatcher(async (requests) => {
    const ids = requests.flatMap(({ input }) => input);
    const [id] = ids;
    if (id !== undefined && ids.length === 1) {
      const [lists = []] = await run(ofOne, [id]);
      const [row = null] = decode(lists);
      for (const { input, resolve } of requests) {
        resolve(input.length === 0 ? [] : [row]);
      }
      return;
    }
    const [[numbers, ...lists] = []] = await run(statement, [ids]);
    // Each is decoded for its own request, since requests may change what they get.
    const rows = decode(lists);
    const found = Array.from<Row | null>({ length: ids.length }).fill(null);
    for (const [index, number] of (numbers?.split(',') ?? []).entries()) {
      found[Number(number) - 1] = rows[index] ?? null;
    }
    let start = 0;
    for (const { input, resolve } of requests) {
      resolve(found.slice(start, start + input.length));
      start += input.length;
    }
  });
}

function findByIds(model: Model): Statement {
  const { column, pgType } = columnOf(model, model.id);
  return {
    name: `${model.name}.findByIds`,
    text: `
    SELECT string_agg(requested.number::text, ','), ${rowsAsLists(model, 'found')}
    FROM unnest($1::${pgType}[]) WITH ORDINALITY AS requested (id, number)
    JOIN ${quoted(model.table)} AS found ON found.${quoted(column)} = requested.id`,
  };
}

function findById(model: Model): Statement {
  const { column, pgType } = columnOf(model, model.id);
  return {
    name: `${model.name}.findByIds`,
    preparedAs: `${model.name}.findByIds:one`,
    text: `
    SELECT ${rowsAsLists(model, 'found')} FROM ${quoted(model.table)} AS found
    WHERE found.${quoted(column)} = $1::${pgType}`,
  };
}
