declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** For a body: a number that keeps its digits, whichever client writes it. */
export function exactNumber(value: bigint): number {
  return JSON.rawJSON(String(value)) as unknown as number;
}

/** A body serialiser that takes bigints. */
export function stringify(body: unknown): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'bigint' ? exactNumber(value) : value,
  );
}

/** Leaves an integer that JavaScript would round as its digits. */
export const keepDigits = (_name: string, value: unknown, context?: { source?: string }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source : value;

/** `fetch`; in JSON that comes, integers beyond 2^53 are strings of their digits. `BigInt()` takes both. */
export const exactFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.headers.get('Content-Type')?.startsWith('application/json')) {
    return response;
  }
  const body = JSON.stringify(JSON.parse(await response.text(), keepDigits));
  return Object.defineProperty(new Response(body, response), 'url', { value: response.url });
};
