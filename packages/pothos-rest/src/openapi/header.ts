import type { JsonObject } from '@gateway/exact-json/json';

/** A Header Object of a header that is always there. */
export function header(
  description: string,
  example: string | number,
  schema: JsonObject = {},
): JsonObject {
  return { description, required: true, schema: { type: 'string', ...schema }, example };
}
