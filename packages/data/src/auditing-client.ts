import { isPlainObject } from './arguments.ts';
import type { Audit } from './audit.ts';
import { expectAuditable, expectReadOnly } from './auditable.ts';
import { callMethod } from './engine.ts';
import { ofTransaction, withRule, type Rule } from './guarded-client.ts';
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

  const rule: Rule = {
    name: 'audited',
    methodOf: ({ key, delegate, name }) => {
      if (methodNamed(name)?.does === 'read') {
        return undefined;
      }
      const model = names.get(key);
      return (args) => {
        expectAuditable(audit, model, args);
        return model !== undefined && audited.has(model)
          ? callAudited(delegate, model, name, args)
          : callMethod(delegate, name, [args]);
      };
    },
    memberOf: (below, name) => {
      const value: unknown = Reflect.get(below, name);
      if (typeof value !== 'function') {
        return value;
      }
      if (name === '$extends') {
        throw new TypeError("a client whose writes are audited can't be extended");
      }
      return (...args: unknown[]): unknown => {
        if (RAW.test(name)) {
          expectReadOnly(tables, name, args);
        }
        const [body, ...options] = args;
        return name === '$transaction' && isCallback(body)
          ? callMethod(below, name, [
              (transaction: object) => body(ofTransaction(rule, transaction)),
              ...options,
            ])
          : callMethod(below, name, args);
      };
    },
  };
  return withRule(client, rule);
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
