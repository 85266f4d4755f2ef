/** What a program tells of its client: the columns of docs/rest-client.md. */
export interface Outcomes {
  /** A `categoryId` of 9223372036854775807 that was sent and read back with exact.ts. */
  readonly exact: bigint;
  /** The same, read with the client alone. */
  readonly alone: unknown;
  /** Names, page by page. */
  readonly names: readonly string[];
  readonly pages: number;
  /** How an error comes, and what the service said. */
  readonly error: readonly [how: 'returned' | 'thrown', body: unknown];
  /** The ids of two creates with one Idempotency-Key. */
  readonly ids: readonly bigint[];
  /** The status that an animal has without one in the request. */
  readonly status: string;
}

export const LARGE = 9223372036854775807n;
export const address = process.env['ANIMAL_STORE_URL'] ?? '';
export const key = process.env['API_KEY'] ?? '';

/** What a request throws. @throws if it throws nothing */
export async function unwrapError(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    () => {
      throw new Error('an error came as if it were none');
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
