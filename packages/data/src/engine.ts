/**
 * Calls a method of a model of Prisma's own client.
 *
 * @returns a promise of Prisma's, which runs when it is awaited, or as an element of a transaction
 */
export function callEngine(
  client: object,
  model: string,
  operation: string,
  args: unknown,
): unknown {
  return callMethod(Reflect.get(client, model), operation, [args]);
}

/** Calls a method whose type isn't known, because it is generated or Prisma's own. @throws TypeError if there is none */
export function callMethod(target: unknown, name: string, args: readonly unknown[]): unknown {
  const method: unknown = target instanceof Object ? Reflect.get(target, name) : undefined;
  if (typeof method !== 'function') {
    throw new TypeError(`this version of Prisma's client has no ${name}`);
  }
  return Reflect.apply(method, target, args) satisfies unknown;
}
