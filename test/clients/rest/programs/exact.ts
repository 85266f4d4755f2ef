declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** Returns a number for a body that keeps all digits, whichever client serializes it. */
export function exactNumber(value: bigint): number {
  return JSON.rawJSON(String(value)) as unknown as number;
}

/** Serializes a body that may contain bigints. */
export function stringify(body: unknown): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'bigint' ? exactNumber(value) : value,
  );
}

/** A JSON reviver that returns an integer that JavaScript would round as a string of its digits. */
export const keepDigits = (_name: string, value: unknown, context?: { source?: string }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source : value;

/** Like `fetch`, but integers beyond 2^53 in JSON responses are strings. `BigInt()` accepts both. */
export const exactFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.headers.get('Content-Type')?.startsWith('application/json')) {
    return response;
  }
  const body = JSON.stringify(JSON.parse(await response.text(), keepDigits));
  return Object.defineProperty(new Response(body, response), 'url', { value: response.url });
};
