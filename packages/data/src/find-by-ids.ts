import { batchLists, batchStatements, runBatch, type BatchStatements } from './batch.ts';
import type { Equal } from './equal-to.ts';
import type { Column, Model, Row } from './model.ts';
import { parameterRows, valueOf, type Parameter } from './parameters.ts';
import { numberedRow, numberedRowDecoder, numberedRows } from './rows.ts';
import { statementsByShape } from './shape-statements.ts';
import { arrayLiteral, columnOf, quoted } from './sql.ts';
import type { TableOptions } from './statement.ts';

/** Reads the rows with these ids for which the conditions hold, each at its id's place. */
export type FindByIds = (
  ids: readonly string[],
  conditions?: readonly Equal[],
) => Promise<readonly (Row | undefined)[]>;

export interface WantedRow {
  readonly id: string;
  readonly conditions: readonly Equal[];
}

const NONE: readonly Equal[] = [];

/** Reads rows by their ids. The requests of a batch with conditions on the same columns share a statement. */
export function createFindByIds(
  model: Model,
  { read, createBatcher, isFault }: TableOptions,
): FindByIds {
  const unconditional = findByIds(model, []);
  const conditional = statementsByShape(namesOf, (columns: readonly Column[]) =>
    findByIds(model, columns),
  );
  const decode = numberedRowDecoder(model);

  async function findAlike(wanted: readonly WantedRow[]): Promise<readonly (Row | undefined)[]> {
    const columns = wanted[0]?.conditions.map(({ column }) => column) ?? [];
    const lists = [wanted.map(({ id }) => id)];
    for (const place of columns.keys()) {
      lists.push(wanted.map(({ conditions }) => arrayOf(conditions[place])));
    }
    return decode(
      await runBatch(read, columns.length === 0 ? unconditional : conditional(columns), lists),
    );
  }

  const find = batchLists(
    createBatcher,
    async (wanted: readonly WantedRow[]) => {
      if (wanted.every(({ conditions }) => conditions.length === 0)) {
        // Each is decoded for its own request, since requests may change what they get.
        return decode(await runBatch(read, unconditional, [wanted.map(({ id }) => id)]));
      }
      const alike = Map.groupBy(wanted.entries(), ([, { conditions }]) =>
        namesOf(conditions.map(({ column }) => column)),
      );
      return placed(alike.values(), findAlike);
    },
    isFault,
  );
  return (ids, conditions = NONE) => find(ids.map((id) => ({ id, conditions })));
}

function findByIds(model: Model, columns: readonly Column[]): BatchStatements {
  const id = columnOf(model, model.id);
  const parameters: Parameter[] = [{ name: 'id', pgType: id.pgType }];
  const conditions = [`found.${quoted(id.column)} = parameters.id`];
  for (const [place, { column, pgType }] of columns.entries()) {
    const parameter = { name: `equal_${place}`, pgType: `${pgType}[]`, isList: true } as const;
    parameters.push(parameter);
    conditions.push(
      `found.${quoted(column)} = ANY(${valueOf(parameter, `parameters.${parameter.name}`)})`,
    );
  }
  return batchStatements(
    `${model.name}.findByIds`,
    (size) => `
    SELECT ${size === 'several' ? numberedRows(model, 'found', 'parameters.number') : numberedRow(model, 'found')}
    FROM ${parameterRows(parameters, size)}
    JOIN ${quoted(model.table)} AS found ON ${conditions.join(' AND ')}`,
  );
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ field }) => field).join();
}

/** The values that a column may have, as the text of an array. */
export function arrayOf(equal: Equal | undefined): string {
  return equal === undefined ? '' : equal.size === 1 ? arrayLiteral([equal.value]) : equal.value;
}

/** Reads groups of rows, and returns all rows in the order of their numbers. */
export async function placed(
  groups: Iterable<readonly (readonly [number: number, wanted: WantedRow])[]>,
  find: (wanted: readonly WantedRow[]) => Promise<readonly (Row | undefined)[]>,
): Promise<readonly (Row | undefined)[]> {
  const found: (Row | undefined)[] = [];
  await Promise.all(
    Array.from(groups, async (group) => {
      const rows = await find(group.map(([, wanted]) => wanted));
      for (const [index, [number]] of group.entries()) {
        found[number] = rows[index];
      }
    }),
  );
  return found;
}
