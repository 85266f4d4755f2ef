import { isPlainObject } from './arguments.ts';
import type { Audit } from './audit.ts';
import { expectAuditable, expectReadOnly } from './auditable.ts';
import { callMethod } from './engine.ts';
import { methodNamed } from './methods.ts';
import { keyOf, type Models } from './model.ts';

const RAW = /^\$(?:execute|query)Raw/;

/**
 * The client that notes each written row of audited models in the audit log, in the transaction that writes it. What can't be
 * noted is refused, so that no code can forget it.
 *
 * @param client extended by `batchedModels`, or within one of its interactive transactions
 */
export function auditingClient<Client extends object>(client: Client, audit: Audit): Client {
  const { models, audited, entry } = audit;
  const tables = [...audited].map((name) => tableOf(models, name));
  const names = new Map(Object.keys(models).map((name) => [keyOf(name), name]));
  const delegates = new Map<string | symbol, object>();

  /** A write of an audited model. @throws TypeError for one that can't be noted */
  const callAudited = (
    delegate: object,
    name: string,
    operation: string,
    given: unknown,
  ): unknown => {
    if (isEmptyUpdate(operation, given)) {
      return callMethod(delegate, operation, [given]);
    }
    const method = methodNamed(operation)?.audited;
    if (method === undefined) {
      throw new TypeError(
        `${name}.${operation} can't be audited: use create, update or delete, whose row is noted in the audit log`,
      );
    }
    return callMethod(delegate, method, [{ ...(isPlainObject(given) && given), audit: entry() }]);
  };

  /** A model whose writes are noted, or checked not to write rows of those that are. */
  const delegateOf = (key: string, delegate: object): object => {
    const name = names.get(key);
    return new Proxy(delegate, {
      get: (target, property): unknown => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function' || typeof property !== 'string') {
          return value;
        }
        if (methodNamed(property)?.does === 'read') {
          return value.bind(target);
        }
        return (...args: unknown[]) => {
          expectAuditable(audit, name, args[0]);
          return name !== undefined && audited.has(name)
            ? callAudited(delegate, name, property, args[0])
            : callMethod(delegate, property, args);
        };
      },
    });
  };

  /** A method of the client itself. */
  const methodOf = (
    name: string,
    call: (args: readonly unknown[]) => unknown,
  ): ((...args: unknown[]) => unknown) => {
    if (name === '$extends') {
      throw new TypeError("a client whose writes are audited can't be extended");
    }
    return (...args) => {
      if (RAW.test(name)) {
        expectReadOnly(tables, name, args);
      }
      const [body, ...options] = args;
      if (name !== '$transaction' || !isCallback(body)) {
        return call(args);
      }
      return call([(transaction: object) => body(auditingClient(transaction, audit)), ...options]);
    };
  };

  return new Proxy(client, {
    get: (target, property): unknown => {
      const known = delegates.get(property);
      if (known !== undefined) {
        return known;
      }
      const value: unknown = Reflect.get(target, property);
      if (typeof property !== 'string') {
        return value;
      }
      if (typeof value === 'function') {
        return methodOf(property, (args) => Reflect.apply(value, target, args) as unknown);
      }
      // A model, and not one of the client's own members, which begin with $ or _.
      if (typeof value !== 'object' || value === null || !/^[a-zA-Z]/.test(property)) {
        return value;
      }
      const delegate = delegateOf(property, value);
      delegates.set(property, delegate);
      return delegate;
    },
  });
}

/** Whether it changes nothing, so that there is nothing to note. */
function isEmptyUpdate(operation: string, given: unknown): boolean {
  return (
    (operation === 'update' || operation === 'updateOnce') &&
    isPlainObject(given) &&
    isPlainObject(given['data']) &&
    Object.values(given['data']).every((value) => value === undefined)
  );
}

function isCallback(value: unknown): value is (argument: object) => unknown {
  return typeof value === 'function';
}

function tableOf(models: Models, name: string): string {
  const model = models[name];
  if (model === undefined) {
    throw new TypeError(`${name} can't be audited: statements aren't made from this model`);
  }
  return model.table;
}
