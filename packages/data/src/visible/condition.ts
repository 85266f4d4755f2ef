import { isPlainObject } from '../arguments.ts';
import type { Model } from './models.ts';

/** The values that a column may have, by the texts by which they are equal. */
export type Values = ReadonlyMap<string, unknown>;

/** Which rows a caller sees: by columns, one of whose values each row has. */
export type Condition = 'all' | 'none' | ReadonlyMap<string, Values>;

/** Makes a condition of what a rule says: whatever isn't understood is no row. */
export function conditionFrom(answer: unknown, model: Model): Condition {
  if (answer === true) {
    return 'all';
  }
  if (answer instanceof Promise) {
    // Nobody awaits it.
    answer.catch(() => undefined);
  }
  const given = isPlainObject(answer) ? Object.entries(answer) : [];
  const condition = new Map<string, Values>();
  for (const [column, value] of given) {
    const values = model.rule?.columns.includes(column) === true && valuesOf(value, column, model);
    if (!values || values.size === 0) {
      return 'none';
    }
    condition.set(column, values);
  }
  return condition.size === 0 ? 'none' : condition;
}

/** The values of a condition of Prisma's that is a value, or a set of some; undefined for any other. */
export function valuesOf(value: unknown, column: string, { texts }: Model): Values | undefined {
  const textOf = texts.get(column);
  const isSet =
    isPlainObject(value) && Object.keys(value).length === 1 && Array.isArray(value['in']);
  const given: readonly unknown[] = isSet && Array.isArray(value['in']) ? value['in'] : [value];
  const values = new Map<string, unknown>();
  for (const each of given) {
    const text = textOf?.(each);
    if (text === undefined) {
      return undefined;
    }
    values.set(text, each);
  }
  return values;
}

/** Whether a row is one of those. */
export function holds(
  condition: Condition,
  row: Readonly<Record<string, unknown>>,
  { texts }: Model,
): boolean {
  if (typeof condition === 'string') {
    return condition === 'all';
  }
  for (const [column, values] of condition) {
    const text = texts.get(column)?.(row[column]);
    if (text === undefined || !values.has(text)) {
      return false;
    }
  }
  return true;
}

/** As Prisma's `where` has it. */
export function written(values: Values): unknown {
  const [value, ...others] = values.values();
  return others.length === 0 ? value : { in: [...values.values()] };
}
