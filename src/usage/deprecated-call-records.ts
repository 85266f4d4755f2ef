import type { Database } from '../database/client.ts';

interface CountedCalls {
  readonly keyId: bigint;
  readonly field: string;
  readonly calls: number;
}

interface DeprecatedCallsRecord {
  readonly field: string;
  readonly calls: bigint;
  readonly lastAt: Date;
  readonly key: { readonly id: bigint; readonly name: string };
}

/** Adds to the counts of all processes. */
export async function addDeprecatedCalls(
  database: Database,
  counted: readonly CountedCalls[],
  now: Date,
): Promise<void> {
  // In one order, so that two processes that write at once can't deadlock.
  const rows = counted.toSorted(
    (a, b) => Number(a.keyId - b.keyId) || (a.field < b.field ? -1 : 1),
  );
  await database.$executeRaw`
    INSERT INTO deprecated_calls (key_id, field, calls, last_at)
    SELECT key_id, field, calls, ${now}
    FROM unnest(
      ${rows.map(({ keyId }) => keyId)}::bigint[],
      ${rows.map(({ field }) => field)}::text[],
      ${rows.map(({ calls }) => calls)}::bigint[]
    ) AS counted (key_id, field, calls)
    ON CONFLICT (key_id, field) DO UPDATE SET
      calls = deprecated_calls.calls + excluded.calls,
      last_at = greatest(deprecated_calls.last_at, excluded.last_at)`;
}

/** The latest first. */
export async function listDeprecatedCalls({
  deprecatedCalls,
}: Pick<Database, 'deprecatedCalls'>): Promise<DeprecatedCallsRecord[]> {
  return deprecatedCalls.findMany({
    select: {
      field: true,
      calls: true,
      lastAt: true,
      key: { select: { id: true, name: true } },
    },
    orderBy: [{ lastAt: 'desc' }, { keyId: 'asc' }, { field: 'asc' }],
  });
}
