import { Unrepeatable } from './create-once-method.ts';
import type { Deduplicated, IdempotencyKey } from './deduplicated-create.ts';

export interface Deduplication {
  /** Of the next create. */
  readonly nextKey: () => IdempotencyKey;
  /** Called for a create that was done before, under its key. */
  readonly onReplay?: (() => void) | undefined;
  /** What a create throws whose key was taken for something else. */
  readonly reusedError: () => Error;
  /** What is thrown for a write that a key can't make once, before it has done anything; by default a TypeError. */
  readonly unrepeatableError?: (call: string) => Error;
}

interface DeduplicatingModel {
  readonly createOnce: (create: object) => Promise<Deduplicated>;
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
  return new Proxy(client, {
    get: (target, name) => {
      const model: unknown = Reflect.get(target, name);
      if (typeof model !== 'object' || model === null) {
        throw unrepeatable(String(name), deduplication);
      }
      return deduplicatingModel(model, String(name), deduplication);
    },
  });
}

function deduplicatingModel(
  model: object,
  modelName: string,
  deduplication: Deduplication,
): object {
  const { nextKey, onReplay, reusedError } = deduplication;
  return new Proxy(model, {
    get: (target, name): unknown => {
      if (name === 'create' && isDeduplicating(target)) {
        return async (args: object): Promise<unknown> => {
          const created = await target
            .createOnce({ ...args, idempotencyKey: nextKey() })
            .catch((error: unknown) => {
              const isOurs = error instanceof Unrepeatable;
              throw (isOurs && deduplication.unrepeatableError?.(error.message)) || error;
            });
          if (created.reused) {
            throw reusedError();
          }
          if (created.isReplay) {
            onReplay?.();
          }
          return created.row;
        };
      }
      if (!READS.test(String(name))) {
        throw unrepeatable(`${modelName}.${String(name)}`, deduplication);
      }
      return Reflect.get(target, name);
    },
  });
}

function unrepeatable(call: string, { unrepeatableError }: Deduplication): Error {
  return (
    unrepeatableError?.(call) ?? new TypeError(`${call} can't be made once by an idempotency key`)
  );
}

function isDeduplicating(model: object): model is DeduplicatingModel {
  return 'createOnce' in model;
}
