import { createKey } from './keys.ts';
import { listDeprecatedCalls } from '../../packages/gateway/src/usage/deprecated-calls.ts';
import type { Sent } from './deprecated-uses.ts';
import type { Answer, Gateway } from './gateway.ts';

interface CountingKey {
  readonly send: (sent: Sent, headers?: Record<string, string>) => Promise<Answer>;
  /** What it has called of what is deprecated, and how often. */
  readonly calls: () => Promise<Record<string, number>>;
}

/** Makes keys whose calls of what is deprecated nobody else's are counted with. */
export function countingKeys({
  database,
  deprecatedCalls,
  request,
}: Pick<Gateway, 'database' | 'deprecatedCalls' | 'request'>): () => Promise<CountingKey> {
  return async () => {
    const { key, id } = await createKey(database);
    const authorization = { Authorization: `Bearer ${key}` };
    return {
      send: ({ path, body }, headers = {}) =>
        request(path, {
          ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
          headers: { ...authorization, 'Content-Type': 'application/json', ...headers },
        }),
      calls: async () => {
        await deprecatedCalls.flush();
        const all = await listDeprecatedCalls(database);
        const counted = all.filter((record) => record.key.id === id);
        return Object.fromEntries(counted.map(({ field, calls }) => [field, Number(calls)]));
      },
    };
  };
}

/** The header of what is removed on the first of January. */
export function sunsetOf(year: number): string {
  return new Date(`${year}-01-01`).toUTCString();
}
