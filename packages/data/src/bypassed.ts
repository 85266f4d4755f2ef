import { ANSWERED_METHODS } from './methods.ts';
import {
  computedFields,
  isOfTransaction,
  omittedFields,
  queryCallbacks,
} from './prisma-internals.ts';

const engineOnly = new WeakSet();

/**
 * A callback of a query extension that need only see what Prisma's engine answers; `onAnswer` reports the rest.
 *
 * @param callback also receives whether the call belongs to a transaction
 */
export function ofEngineOnly<Call extends object, Result>(
  callback: (call: Call & { readonly isOfTransaction: boolean }) => Result,
): (call: Call) => Result {
  const marked = (call: Call) => callback({ ...call, isOfTransaction: isOfTransaction(call) });
  engineOnly.add(marked);
  return marked;
}

/**
 * Refuses what a client does to the calls of a model, and statements would go past: query extensions, computed fields, and
 * columns that it omits.
 *
 * @param key what the client calls the model
 * @throws TypeError that says where it belongs
 */
export function refuseBypassed(client: object, key: string, name: string): void {
  const refuse = (what: string): never => {
    throw new TypeError(
      `statements would bypass ${what}: remove ${name} from the models that are passed to batchedModels, so that Prisma's engine answers its calls`,
    );
  };
  for (const operation of ANSWERED_METHODS) {
    if (queryCallbacks(client, key, operation).some((callback) => !engineOnly.has(callback))) {
      refuse(`the query extension of ${name}.${operation}`);
    }
  }
  for (const field of computedFields(client, key)) {
    refuse(`the result extension ${name}.${field}`);
  }
  for (const field of omittedFields(client, key)) {
    refuse(`the client's omit of ${name}.${field}`);
  }
}
