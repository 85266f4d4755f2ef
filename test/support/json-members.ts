import { isJsonObject } from '@store-gateway/ops';

/** The member at the end of a path through objects and lists; undefined if there is none. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
}

/** A list of objects, without what else is in it. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
