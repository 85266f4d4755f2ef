import { isObject } from './arguments.ts';
import { holds } from './condition.ts';
import type { View } from './visible-selection.ts';

/** What a caller gets of a row or of rows that have been read: null for one that is hidden from it, or isn't there. */
export function visibleRow(value: unknown, view: View | undefined): unknown {
  if (view === undefined) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((row: unknown) => visibleRow(row, view));
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
    seen[field] = visibleRow(value[field], ofRelation);
  }
  for (const field of empty) {
    seen[field] = [];
  }
  return seen;
}
