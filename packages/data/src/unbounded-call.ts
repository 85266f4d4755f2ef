import { isPlainObject, membersOf, type Arguments } from './arguments.ts';
import { methodNamed } from './methods.ts';
import type { Models } from './model.ts';

/** Rows that a call of Prisma's engine may ask for. */
const MAX_ENGINE_ROWS = 1000;

/**
 * Why Prisma's engine would read any number of rows for a call, whatever that gives; undefined if it wouldn't. It applies
 * `distinct`, `cursor`, and what limits the relations of several rows, to rows that it has read into memory.
 */
export function unboundedCall(
  models: Models,
  model: string,
  operation: string,
  args: unknown,
): string | undefined {
  const given = membersOf(args) ?? {};
  const call = `${model}.${operation}`;
  const { limit, isOfOne = false } = methodNamed(operation) ?? {};
  if (limit !== undefined && !isLimit(given[limit])) {
    return `${call} needs a ${limit} of 1 to ${MAX_ENGINE_ROWS}`;
  }
  if (operation.startsWith('find') && isAppliedInMemory(given)) {
    return `${call} would read all rows because of distinct or cursor: use where instead`;
  }
  const list = unboundedRelation(models, model, given, isOfOne);
  return list === undefined
    ? undefined
    : `${call} would read all rows of ${list}: order them by an @@index that begins with the relation's key and ends with the id`;
}

/**
 * The first relation to many that is read without a limit, as `Author.books`. To count those of several rows, the engine
 * groups a whole table.
 */
function unboundedRelation(
  models: Models,
  model: string,
  args: Arguments,
  isOfOneRow: boolean,
): string | undefined {
  const selected = membersOf(args['select']) ?? membersOf(args['include']) ?? {};
  if (!isOfOneRow && isPlainObject(selected['_count'] === true ? {} : selected['_count'])) {
    return `the relations of ${model} to count them`;
  }
  for (const { field, model: target, isList = false } of models[model]?.relations ?? []) {
    const value = selected[field];
    if (value === undefined || value === null || value === false) {
      continue;
    }
    const given = isPlainObject(value) ? value : {};
    if (isList && !(isOfOneRow && isLimit(given['take']) && !isAppliedInMemory(given))) {
      return `${model}.${field}`;
    }
    const below = unboundedRelation(models, target, given, false);
    if (below !== undefined) {
      return below;
    }
  }
  return undefined;
}

function isLimit(value: unknown): boolean {
  const size = Math.abs(Number(value));
  return typeof value === 'number' && Number.isInteger(value) && size <= MAX_ENGINE_ROWS;
}

function isAppliedInMemory({ distinct, cursor }: Arguments): boolean {
  return distinct !== undefined || cursor !== undefined;
}
