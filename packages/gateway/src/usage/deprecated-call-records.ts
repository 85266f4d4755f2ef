import type { GatewayDatabase } from '../database/client.ts';

interface CountedCalls {
  readonly keyId: bigint;
  readonly field: string;
  readonly calls: number;
}

interface DeprecatedCallsRecord {
  readonly field: string;
  readonly calls: bigint;
  readonly lastAt: Date;
  /** Below 0 a user of the store's own, who has no key. */
  readonly key: { readonly id: bigint; readonly name: string | undefined };
}

type CallsDatabase = Pick<GatewayDatabase, '$write'>;

const ADD = {
  name: 'add-deprecated-calls',
  text: `
    INSERT INTO deprecated_calls (key_id, field, calls, last_at)
    SELECT key_id, field, calls, $4
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS counted (key_id, field, calls)
    ON CONFLICT (key_id, field) DO UPDATE SET
      calls = deprecated_calls.calls + excluded.calls,
      last_at = greatest(deprecated_calls.last_at, excluded.last_at)`,
};

const LIST = {
  name: 'list-deprecated-calls',
  text: `
    SELECT field, calls, (extract(epoch FROM last_at) * 1000)::bigint, key_id, api_keys.name
    FROM deprecated_calls LEFT JOIN api_keys ON api_keys.id = key_id
    ORDER BY last_at DESC, key_id, field COLLATE "C"`,
};

/** Adds to the counts of all processes. */
export async function addDeprecatedCalls(
  { $write }: CallsDatabase,
  counted: readonly CountedCalls[],
  now: Date,
): Promise<void> {
  // In one order, so that two processes that write at once can't deadlock.
  const rows = counted.toSorted(
    (a, b) => Number(a.keyId - b.keyId) || (a.field < b.field ? -1 : 1),
  );
  await $write(ADD, [
    rows.map(({ keyId }) => String(keyId)),
    rows.map(({ field }) => field),
    rows.map(({ calls }) => calls),
    now,
  ]);
}

/** The latest first. */
export async function listDeprecatedCalls({
  $write,
}: CallsDatabase): Promise<DeprecatedCallsRecord[]> {
  return (await $write(LIST)).map(([field, calls, lastAt, id, name]) => ({
    field: field ?? '',
    calls: BigInt(calls ?? 0),
    lastAt: new Date(Number(lastAt)),
    key: { id: BigInt(id ?? 0), name: name ?? undefined },
  }));
}
