import { isJsonObject } from '@store-gateway/ops';

/** An animal as any server represents it, with its ids as strings. */
export interface Animal {
  readonly id: string;
  readonly name: string;
  readonly categoryId: string;
  readonly status: string;
}

/**
 * Returns the animals in a parsed response, however the server's schema wraps them.
 *
 * @throws TypeError if an animal lacks a member, or has an id that was rounded
 */
export function animalsIn(value: unknown): Animal[] {
  if (Array.isArray(value)) return value.flatMap(animalsIn);
  if (!isJsonObject(value)) return [];
  const { id, name, categoryId, status } = value;
  if (categoryId === undefined) return Object.values(value).flatMap(animalsIn);
  if (!isId(id) || !isId(categoryId) || typeof name !== 'string' || typeof status !== 'string') {
    throw new TypeError(`not an animal: ${JSON.stringify(value)}`);
  }
  return [{ id: String(id), name, categoryId: String(categoryId), status }];
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
