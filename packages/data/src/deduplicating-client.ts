import { isPlainObject } from './arguments.ts';
import { callMethod } from './engine.ts';
import { withRule } from './guarded-client.ts';
import { methodNamed } from './methods.ts';
import type { IdempotencyKey } from './write-shape.ts';

/** In the `where` of a change: what it is an attempt at. All attempts have one idempotency key. */
export const ATTEMPT_AT = Symbol('attempt at');

/** How the writes of one request are deduplicated, and what is thrown for those that can't be. */
export interface Deduplication {
  /** Of the next write. */
  readonly nextKey: () => IdempotencyKey;
  /**
   * What a change was requested by, which a replay of it repeats. By default that is the change itself, so that the
   * conditions of a replay have to be those of the first request.
   */
  readonly request?: (() => string) | undefined;
  /** Called for a write that was done before, under its key. */
  readonly onReplay?: (() => void) | undefined;
  /** What a write throws whose key was taken for something else. */
  readonly reusedError: () => Error;
  /** What a write throws that was made, if a row of a model isn't there anymore that it has to show; undefined to show the rest. */
  readonly goneError: (model: string) => Error | undefined;
  /** What is thrown for a write that a key can't make once, before it has done anything; by default a TypeError. */
  readonly unrepeatableError?: (message: string) => Error;
}

/**
 * The client for work that is done under an idempotency key, so that none of it can forget the key: a row is created,
 * updated or deleted once, and other writes, which could not be repeated safely, throw `unrepeatableError`.
 */
export function deduplicatingClient<Client extends object>(
  client: Client,
  deduplication: Deduplication,
): Client {
  const refused = (call: string): Error =>
    unrepeatable(`${call} can't be made once by an idempotency key`, deduplication);
  const keys = new Map<unknown, IdempotencyKey>();
  const keyOfAttempt = (where: unknown): IdempotencyKey => {
    const change: unknown = where instanceof Object ? Reflect.get(where, ATTEMPT_AT) : undefined;
    const key = keys.get(change) ?? deduplication.nextKey();
    if (change !== undefined) {
      keys.set(change, key);
    }
    return key;
  };
  return withRule(client, {
    name: 'once',
    methodOf: ({ key: model, delegate, name }) => {
      const { does, once } = methodNamed(name) ?? {};
      if (once !== undefined && once in delegate) {
        return (args) => {
          const given = isPlainObject(args) ? args : {};
          // Before anything is awaited, so that writes at once have the same keys each time.
          const key = keyOfAttempt(given['where']);
          return callMethod(delegate, once, [{ ...given, deduplication, idempotencyKey: key }]);
        };
      }
      if (does !== 'read') {
        throw refused(`${model}.${name}`);
      }
      return undefined;
    },
    memberOf: (_client, name) => {
      throw refused(name);
    },
  });
}

/** The error for a write that a key can't make once: that of `unrepeatableError`, or a TypeError. */
export function unrepeatable(message: string, { unrepeatableError }: Deduplication): Error {
  return unrepeatableError?.(message) ?? new TypeError(message);
}
