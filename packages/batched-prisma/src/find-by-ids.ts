import { type BatchStatements, runBatchStatement } from './batch-statements.ts';
import type { CreateBatcher } from '@gateway/coalescing/batcher';
import type { Model, Row } from './model.ts';
import { rowAsLists, rowDecoder, rowsAsLists } from './rows.ts';
import { columnOf, quoted } from './sql.ts';
import type { RunStatement } from './statement.ts';

export type FindByIds = (ids: readonly string[]) => Promise<readonly (Row | null)[]>;

/** One row for each of the ids, null where there is none; the requests of a batch in one statement. */
export function createFindByIds(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindByIds {
  const statements = findByIds(model);
  const decode = rowDecoder(model);
  return createBatcher(async (requests) => {
    const ids = requests.flatMap(({ input }) => input);
    const [[numbers, ...lists] = []] = await runBatchStatement(run, statements, [ids]);
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

function findByIds(model: Model): BatchStatements {
  const { column, pgType } = columnOf(model, model.id);
  const name = `${model.name}.findByIds`;
  return {
    several: {
      name,
      text: `
    SELECT string_agg(requested.number::text, ','), ${rowsAsLists(model, 'found')}
    FROM unnest($1::${pgType}[]) WITH ORDINALITY AS requested (id, number)
    JOIN ${quoted(model.table)} AS found ON found.${quoted(column)} = requested.id`,
    },
    single: {
      name,
      preparedAs: `${name}:one`,
      text: `
    SELECT '1', ${rowAsLists(model, 'found')} FROM ${quoted(model.table)} AS found
    WHERE found.${quoted(column)} = $1::${pgType}`,
    },
  };
}
