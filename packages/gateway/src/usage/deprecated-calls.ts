import type { Caller } from '@store-gateway/access';
import type { GatewayDatabase } from '../database/client.ts';
import { log, outsideRequest, recorder } from '@store-gateway/ops';
import type { Store } from '../definition.ts';
import {
  removalTime,
  type NamedDeprecation,
  deprecationsIn,
  membersOf,
} from '@store-gateway/graphql';

interface CountedCalls {
  readonly keyId: bigint;
  /** The caller's display name. */
  readonly name: string;
  /** The deprecated element's name, as in NamedDeprecation. */
  readonly field: string;
  readonly calls: number;
}

interface DeprecatedCallsRecord {
  readonly field: string;
  readonly calls: bigint;
  readonly lastAt: Date;
  /**
   * The caller's key. The id is negative for a user whom the store or an identity provider has authenticated, and who has no key.
   */
  readonly key: {
    readonly id: bigint;
    readonly name: string | undefined;
    /** Whether the key is valid: neither revoked nor expired. */
    readonly isValid: boolean;
  };
}

type CallsDatabase = Pick<GatewayDatabase, '$write'>;

const ADD = {
  name: 'add-deprecated-calls',
  text: `
    INSERT INTO _gateway_deprecated_calls (key_id, field, calls, last_at)
    SELECT key_id, field, calls, $4
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS counted (key_id, field, calls)
    ON CONFLICT (key_id, field) DO UPDATE SET
      calls = _gateway_deprecated_calls.calls + excluded.calls,
      last_at = greatest(_gateway_deprecated_calls.last_at, excluded.last_at)`,
};

const LIST = {
  name: 'list-deprecated-calls',
  text: `
    SELECT field, calls, (extract(epoch FROM last_at) * 1000)::bigint, key_id, _gateway_api_keys.name,
      (coalesce(least(revoked_at, expires_at) > now(), true))::int
    FROM _gateway_deprecated_calls LEFT JOIN _gateway_api_keys ON _gateway_api_keys.id = key_id
    ORDER BY last_at DESC, key_id, field COLLATE "C"`,
};

/** Adds calls to the counts that all processes share. */
export async function addDeprecatedCalls(
  { $write }: CallsDatabase,
  counted: readonly Omit<CountedCalls, 'name'>[],
  now: Date,
): Promise<void> {
  // Rows are written in a fixed order, so that two processes that write at the same time cannot deadlock.
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

/** Returns the counts, most recent call first. */
export async function listDeprecatedCalls({
  $write,
}: CallsDatabase): Promise<DeprecatedCallsRecord[]> {
  return (await $write(LIST)).map(([field, calls, lastAt, id, name, isValid]) => ({
    field: field ?? '',
    calls: BigInt(calls ?? 0),
    lastAt: new Date(Number(lastAt)),
    key: { id: BigInt(id ?? 0), name: name ?? undefined, isValid: isValid === '1' },
  }));
}

/** Counts calls to deprecated elements by key, so that the operator can inform the keys' owners in time. */
export interface DeprecatedCalls {
  readonly count: (caller: Pick<Caller, 'id' | 'name'>, field: string) => void;
  /** Writes and logs the counts. Must be called before the process ends. */
  readonly flush: () => Promise<void>;
}

/** Minimum time between two writes. A killed process loses the calls that it has counted since its last write. */
const WRITE_INTERVAL_MS = 1000;

/** Delay of the first write after a pause. It is short, because an operator may check the counts immediately. */
const BATCH_WINDOW_MS = 100;

export function createDeprecatedCalls(database: CallsDatabase): DeprecatedCalls {
  let counts = new Map<string, CountedCalls>();
  let timer: NodeJS.Timeout | undefined;
  let writtenAt = -Infinity;
  let written = Promise.resolve();

  function add({ keyId, name, field, calls }: CountedCalls): void {
    const subject = `${keyId} ${field}`;
    const before = counts.get(subject)?.calls ?? 0;
    counts.set(subject, { keyId, name, field, calls: before + calls });
    timer ??= outsideRequest(() => setTimeout(() => void flush(), msUntilWrite()).unref());
  }

  function msUntilWrite(): number {
    return Math.max(BATCH_WINDOW_MS, writtenAt + WRITE_INTERVAL_MS - performance.now());
  }

  async function flush(): Promise<void> {
    written = written.then(write);
    return written;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writtenAt = performance.now();
    const counted = [...counts.values()];
    counts = new Map();
    if (counted.length === 0) {
      return;
    }
    try {
      await addDeprecatedCalls(database, counted, new Date());
    } catch (error) {
      log.warn({ err: error }, 'could not record calls to deprecated fields; will try again');
      counted.forEach(add);
      return;
    }
    for (const { name, field, calls } of counted) {
      log.warn({ keyId: name, field, calls }, 'deprecated field called');
    }
  }

  return {
    count: ({ id, name }, field) => {
      add({ keyId: id, name, field, calls: 1 });
      recorder.add('deprecated_calls_total', 1, { key_id: name, field });
    },
    flush,
  };
}

type DeprecatingStore = Pick<Store, 'schema' | 'rest'>;

/** Returns all deprecated elements of a store, the earliest removal first. */
export function deprecationsOf({ schema, rest }: DeprecatingStore): NamedDeprecation[] {
  const ofRoutes = rest.routes.flatMap(({ deprecations }) => deprecations.own ?? []);
  return [...deprecationsIn(schema), ...ofRoutes].toSorted((a, b) =>
    `${a.removal} ${a.of}` < `${b.removal} ${b.of}` ? -1 : 1,
  );
}

/** Whether the store has an element with this name, deprecated or not. */
export function isInUse({ schema, rest }: DeprecatingStore, of: string): boolean {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  return (
    rest.routes.some(({ deprecations: { address } }) => address === of) ||
    roots.some((root) => root?.getFields()[of] !== undefined) ||
    membersOf(schema).some(({ coordinate }) => coordinate === of)
  );
}

/** Exposes each removal date as a metric. */
export function observeRemovals(store: DeprecatingStore): void {
  const removals = deprecationsOf(store).map(
    (each) => [removalTime(each) / 1000, { field: each.of }] as const,
  );
  recorder.observe('deprecated_field_removal_timestamp_seconds', () => removals);
}
