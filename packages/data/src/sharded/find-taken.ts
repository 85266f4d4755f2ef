import { isPlainObject } from '../arguments.ts';
import { typeOf } from '../column-types.ts';
import type { FindTaken } from '../deduplicated.ts';
import type { Model } from '../model.ts';
import { numberedRowDecoder } from '../rows.ts';
import { columnOf } from '../sql.ts';
import type { TableOptions } from '../statement.ts';
import { expectSettled } from './expect-settled.ts';
import { createFindByIds } from './find-by-ids.ts';

/**
 * Finds what keys were taken for, once all can read that: a worker may commit later than the coordinator, which has the keys.
 */
export function findTakenOnShards(
  model: Model,
  options: TableOptions,
  operation: 'create' | 'change',
): FindTaken {
  const decode = numberedRowDecoder(model);
  const findByIds = createFindByIds(model, options);
  const { encode } = typeOf(columnOf(model, model.id));
  return async (statement, parameters) => {
    const [[reused, json = null, ...found] = []] = await options.write(statement, parameters);
    const rows = decode([found]);
    const entries: unknown = JSON.parse(json ?? '{}');
    const replays = rows.flatMap((row, index) => {
      const entry = isPlainObject(entries) ? entries[index + 1] : undefined;
      return row === undefined || !isPlainObject(entry) ? [] : [{ row, entry }];
    });
    if (replays.length === 0) {
      return { reused, rows };
    }
    const present = await findByIds(replays.map(({ row }) => encode(row[model.id]) ?? ''));
    if (operation === 'change' || present.includes(undefined)) {
      await expectSettled(options);
    }
    for (const [index, { row, entry }] of replays.entries()) {
      // A column that the table has got since is as the table has it.
      for (const { field, column } of model.columns) {
        if (!Object.hasOwn(entry, column)) {
          row[field] = present[index]?.[field] ?? row[field];
        }
      }
    }
    return { reused, rows };
  };
}
