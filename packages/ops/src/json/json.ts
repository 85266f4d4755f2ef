declare global {
  interface JSON {
    /** A value that JSON.stringify writes as the text it was given (ECMA-262, 25.5.3). */
    rawJSON(text: string): object;
  }
}

/** A value of JSON, as `JSON.parse` gives it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Whether a value is a JSON object, and not an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
