import { isPlainObject } from './arguments.ts';
import { callMethod } from './engine.ts';

/*
 * The private parts of Prisma's client that are used here, and nowhere else: Prisma 7 has no public way to ask what extends a
 * client, or whether a call is one of a transaction. test/bypassed.test.ts and the store's test/database/scalars.test.ts fail
 * if a release changes them.
 */

/** The callbacks of a client's query extensions for an operation of a model. */
export function queryCallbacks(client: object, key: string, operation: string): readonly object[] {
  return askExtensions(client, 'getAllQueryCallbacks', [key, operation]);
}

/** The names of fields that a client's result extensions compute for a model. */
export function computedFields(client: object, key: string): readonly string[] {
  return askExtensions(client, 'getAllComputedFields', [key]).map((computed) =>
    String(Reflect.get(computed, 'name')),
  );
}

/** The fields of a model that a client omits unless they are asked for. */
export function omittedFields(client: object, key: string): readonly string[] {
  const omitted: unknown = Reflect.get(client, '_globalOmit');
  const ofModel = isPlainObject(omitted) ? omitted[key] : undefined;
  return Object.entries(isPlainObject(ofModel) ? ofModel : {}).flatMap(([field, isOmitted]) =>
    isOmitted === true ? [field] : [],
  );
}

/** Whether what a query extension is called with belongs to a transaction. */
export function isOfTransaction(call: object): boolean {
  const internal: unknown = Reflect.get(call, '__internalParams');
  return internal instanceof Object && Reflect.get(internal, 'transaction') !== undefined;
}

/** The text of JSON that is given in the words of Prisma's protocol, which no value has. */
export function textOfJson(value: unknown): string | undefined {
  const toJSON: unknown = value instanceof Object ? Reflect.get(value, 'toJSON') : undefined;
  const given: unknown =
    typeof toJSON === 'function' ? Reflect.apply(toJSON, value, []) : undefined;
  return isPlainObject(given) && given['$type'] === 'Json' && typeof given['value'] === 'string'
    ? given['value']
    : undefined;
}

function askExtensions(client: object, method: string, args: readonly string[]): readonly object[] {
  const answer = callMethod(Reflect.get(client, '_extensions'), method, args);
  return answer instanceof Object
    ? Object.entries(answer).flatMap(([, each]: [string, unknown]) =>
        each instanceof Object ? [each] : [],
      )
    : [];
}
