import type { EngineResult } from './lazy-result.ts';

/** Calls a method of Prisma's own client. */
export function callEngine(
  client: object,
  [model, operation]: [string, string],
  args: unknown,
): EngineResult {
  const delegate: unknown = Reflect.get(client, model);
  const method: unknown = delegate instanceof Object ? Reflect.get(delegate, operation) : undefined;
  if (typeof method !== 'function') {
    throw new TypeError(`the client has no ${model}.${operation}`);
  }
  const result: unknown = Reflect.apply(method, delegate, [args]);
  if (!isEngineResult(result)) {
    throw new TypeError(`${model}.${operation} gives no promise of Prisma's`);
  }
  return result;
}

function isEngineResult(result: unknown): result is EngineResult {
  return result instanceof Object && 'then' in result && 'requestTransaction' in result;
}
