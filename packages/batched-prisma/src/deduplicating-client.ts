import type { IdempotencyKey } from './deduplicated-create.ts';
import { callMethod } from './engine.ts';

export interface Deduplication {
  /** Of the next create. */
  readonly nextKey: () => IdempotencyKey;
  /** Called for a create that was done before, under its key. */
  readonly onReplay?: (() => void) | undefined;
  /** What a create throws whose key was taken for something else. */
  readonly reusedError: () => Error;
  /** What is thrown for a write that a key can't make once, before it has done anything; by default a TypeError. */
  readonly unrepeatableError?: (message: string) => Error;
}

const READS = /^(?:find|count$|aggregate$|groupBy$|fields$)/;

/**
 * The client for work that is done under an idempotency key, so that none of it can forget the key: a create is made
 * once, and other writes, which could not be repeated safely, are refused.
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
          if (name === 'create' && 'createOnce' in delegate) {
            return (args: object) =>
              callMethod(delegate, 'createOnce', [{ ...args, deduplication }]);
          }
          if (!READS.test(String(name))) {
            throw refused(`${String(modelName)}.${String(name)}`);
          }
          return Reflect.get(delegate, name);
        },
      });
    },
  });
}

export function unrepeatable(message: string, { unrepeatableError }: Deduplication): Error {
  return unrepeatableError?.(message) ?? new TypeError(message);
}
