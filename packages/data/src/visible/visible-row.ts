import { isObject } from './arguments.ts';
import { holds } from './condition.ts';
import type { View } from './visible-selection.ts';

/** What a caller gets of what has been read: null if that is a row that is hidden from it, or none. */
export function visibleRow(value: unknown, view: View | undefined): unknown {
  if (view === undefined) {
    return value;
  }
  if (!isObject(value) || !holds(view.condition, value, view.model)) {
    return null;
  }
  const { added, relations, empty } = view;
  if (added.length + relations.length + empty.length === 0) {
    return value;
  }
  const seen: Record<string, unknown> = { ...value };
  for (const column of added) {
    delete seen[column];
  }
  for (const [field, ofRelation] of relations) {
    const related = value[field];
    seen[field] = Array.isArray(related)
      ? visibleRows(related, ofRelation)
      : visibleRow(related, ofRelation);
  }
  for (const field of empty) {
    seen[field] = [];
  }
  return seen;
}

export function visibleRows(rows: unknown, view: View | undefined): unknown {
  return view === undefined || !Array.isArray(rows)
    ? rows
    : rows.map((row: unknown) => visibleRow(row, view));
}
