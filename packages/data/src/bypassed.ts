import { isPlainObject } from './arguments.ts';
import { callMethod } from './engine.ts';

/** What statements answer in the engine's place. */
const ANSWERED = ['findUnique', 'findUniqueOrThrow', 'findMany', 'create', 'update', 'delete'];

const engineOnly = new WeakSet();

/** A callback of a query extension that need only see what Prisma's engine answers; `onAnswer` reports the rest. */
export function ofEngineOnly<Callback extends object>(callback: Callback): Callback {
  engineOnly.add(callback);
  return callback;
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
      `statements would go past ${what}: leave ${name} out of the models that batchedModels is given, and Prisma's engine answers it`,
    );
  };
  for (const operation of ANSWERED) {
    const callbacks = askExtensions(client, 'getAllQueryCallbacks', [key, operation]);
    if (callbacks.some(([, callback]) => !engineOnly.has(callback))) {
      refuse(`the query extension of ${name}.${operation}`);
    }
  }
  for (const [, computed] of askExtensions(client, 'getAllComputedFields', [key])) {
    refuse(`the result extension ${name}.${String(Reflect.get(computed, 'name'))}`);
  }
  const omitted: unknown = Reflect.get(client, '_globalOmit');
  const ofModel = isPlainObject(omitted) ? omitted[key] : undefined;
  for (const [field, isOmitted] of Object.entries(isPlainObject(ofModel) ? ofModel : {})) {
    if (isOmitted === true) {
      refuse(`the client's omit of ${name}.${field}`);
    }
  }
}

/** Prisma 7 has no public way to ask what extends a client. */
function askExtensions(
  client: object,
  method: string,
  args: readonly string[],
): readonly [string, object][] {
  const answer = callMethod(Reflect.get(client, '_extensions'), method, args);
  return answer instanceof Object ? Object.entries(answer) : [];
}
