import { isPlainObject, type Arguments } from '../arguments.ts';

export function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null;
}

/** @throws TypeError if what Prisma might read can't be read here */
export function membersOf(value: unknown, name: string): Arguments {
  if (value === undefined) {
    return {};
  }
  if (!isPlainObject(value)) {
    throw new TypeError(`${name} must be a plain object`);
  }
  return value;
}

/** The elements of an array, or the value itself; none of undefined. */
export function elementsOf(value: unknown): readonly unknown[] {
  if (value === undefined) {
    return [];
  }
  return Array.isArray(value) ? value : [value];
}
