/** A program's results for its client, which are the columns of docs/rest-client.md. */
export interface Outcomes {
  /** A `categoryId` of 9223372036854775807 that was sent and read back with exact.ts. */
  readonly exact: bigint;
  /** The same value, read by the client without exact.ts. */
  readonly alone: unknown;
  /** The names on all pages. */
  readonly names: readonly string[];
  readonly pages: number;
  /** Whether the client returns or throws an error, and the service's response body. */
  readonly error: readonly [how: 'returned' | 'thrown', body: unknown];
  /** The ids from two creates with the same Idempotency-Key. */
  readonly ids: readonly bigint[];
  /** The status of an animal that was created without a status. */
  readonly status: string;
}

export const LARGE = 9223372036854775807n;
export const address = process.env['ANIMAL_STORE_URL'] ?? '';
export const key = process.env['API_KEY'] ?? '';

/** Returns the error that a request throws. @throws Error if the request throws nothing */
export async function unwrapError(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    () => {
      throw new Error('the request did not throw an error');
    },
    (thrown: unknown) => thrown,
  );
}

export function tell(outcomes: Outcomes): void {
  console.log(
    JSON.stringify(outcomes, (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  );
}
