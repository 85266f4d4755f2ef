import type { IdempotencyKey } from './deduplicated.ts';
import { callMethod } from './engine.ts';

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
  /** What is thrown for a write that a key can't make once, before it has done anything; by default a TypeError. */
  readonly unrepeatableError?: (message: string) => Error;
}

/** Writes of one row, and what makes them once. */
const ONCE: Readonly<Record<string, string>> = {
  create: 'createOnce',
  update: 'updateOnce',
  delete: 'deleteOnce',
};

const READS = /^(?:find|count$|aggregate$|groupBy$|fields$)/;

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
  return new Proxy(client, {
    get: (target, modelName) => {
      const model: unknown = Reflect.get(target, modelName);
      if (typeof model !== 'object' || model === null) {
        throw refused(String(modelName));
      }
      return new Proxy(model, {
        get: (delegate, name): unknown => {
          const operation = String(name);
          const once = Object.hasOwn(ONCE, operation) ? ONCE[operation] : undefined;
          if (once !== undefined && once in delegate) {
            return (args: object) => callMethod(delegate, once, [{ ...args, deduplication }]);
          }
          if (!READS.test(operation)) {
            throw refused(`${String(modelName)}.${operation}`);
          }
          const read: unknown = Reflect.get(delegate, name);
          // By the model itself: as a method of this proxy, it would be refused what it needs of the model.
          return typeof read === 'function' ? read.bind(delegate) : read;
        },
      });
    },
  });
}

/** The error for a write that a key can't make once: that of `unrepeatableError`, or a TypeError. */
export function unrepeatable(message: string, { unrepeatableError }: Deduplication): Error {
  return unrepeatableError?.(message) ?? new TypeError(message);
}
