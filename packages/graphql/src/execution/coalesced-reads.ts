import { type ExecutionResult, isAbstractType, type GraphQLSchema } from 'graphql';
import {
  createCoalescer,
  watchOwnReads,
  log,
  recorder,
  tracer,
  reportsOwnReads,
} from '@store-gateway/ops';
import { matchesPlan, type OperationArgs } from './written-rows.ts';
import { memoizePerOperation } from './operation.ts';
import { selectedFields, type SelectedField } from '../marks/uses.ts';

interface CoalescedReads<Request> {
  /** Executes an operation for the leading request. */
  readonly execute: (args: OperationArgs, request: Request) => Promise<ExecutionResult>;
  /** The context members that are the same for all requests. */
  readonly services: object;
  readonly contextOf: (request: Request) => object;
}

/**
 * Coalesces identical queries with the same variables, if their root fields are marked `shared`. If the execution has read
 * nothing that belongs to a single request, all requests share its result object, which must not be changed. Otherwise, only the
 * leading request gets the result; the others execute the query themselves, and the query is never coalesced again.
 */
export function createCoalescedReads<Request>({
  execute,
  services,
  contextOf,
}: CoalescedReads<Request>): (args: OperationArgs, request: Request) => Promise<ExecutionResult> {
  const coalesce = tracer.coalescer(
    createCoalescer<ExecutionResult>((leads) => {
      recorder.add('shared_calls_total', 1, {
        place: 'operations',
        role: leads ? 'led' : 'joined',
      });
    }),
  );
  const report = createReport();

  /** Results that are known not to depend on a request. */
  const sharedResults = new WeakSet<ExecutionResult>();

  async function prove(
    args: OperationArgs,
    shared: Shareable,
    request: Request,
  ): Promise<ExecutionResult> {
    let isSharable = true;
    const note = (name: string): void => {
      isSharable = false;
      shared.isOwn = true;
      report(shared, name);
    };
    const contextValue = sharedContext(contextOf(request), services, note);
    const result = await watchOwnReads(note, () => execute({ ...args, contextValue }, request));
    if (isSharable) {
      // Frozen, because anything that one request added would appear in the other requests' results.
      sharedResults.add(Object.freeze(result));
    }
    return result;
  }

  const executeAlone = (args: OperationArgs, request: Request): Promise<ExecutionResult> =>
    execute({ ...args, contextValue: contextOf(request) }, request);

  async function executeShared(
    args: OperationArgs,
    shared: Shareable,
    variables: string,
    request: Request,
  ): Promise<ExecutionResult> {
    let isLeader = false;
    const result = await coalesce(`${shared.id} ${variables}`, (isAlone) => {
      isLeader = true;
      // If no other request shares the result, it may depend on its request.
      return isAlone ? executeAlone(args, request) : prove(args, shared, request);
    });
    const isShared = sharedResults.has(result) && matchesPlan(result, args);
    return isLeader || isShared ? result : executeAlone(args, request);
  }

  return (args, request) => {
    const shared = shareable(args);
    const variables = args.variableValues ?? {};
    if (shared?.isOwn === false && isExact(variables)) {
      return executeShared(args, shared, JSON.stringify(variables), request);
    }
    return executeAlone(args, request);
  };
}

/** Logs that an operation isn't coalesced, once for each field of Query, so that many documents can't fill the log. */
function createReport(): (operation: Shareable, read: string) => void {
  const reported = new Set<string>();
  return ({ fields }, read) => {
    const unreported = fields.filter((field) => !reported.has(field));
    if (unreported.length > 0) {
      unreported.forEach((field) => reported.add(field));
      log.info(
        { fields: unreported, read },
        'not coalesced: the selection reads data that belongs to a single request',
      );
    }
  };
}

/** Whether JSON can represent a value. A number that isn't finite, such as 1e400, would become null. */
function isExact(value: unknown): boolean {
  switch (typeof value) {
    case 'object':
      return value === null || Object.values(value).every(isExact);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === 'string' || typeof value === 'boolean';
  }
}

/** An operation that may be coalesced, until it has read something that belongs to a request. */
interface Shareable {
  /** Identifies the operation in the cache. */
  readonly id: string;
  /** The fields of Query that it selects. */
  readonly fields: readonly string[];
  /** Whether it has read anything that belongs to a request. */
  isOwn: boolean;
}

let shareables = 0;

/**
 * Returns the operation if its requests may share a result. It must be a query whose root fields all have the extension `shared:
 * true`, and no field at any depth may have `shared: false`.
 */
const shareable = memoizePerOperation((operation): Shareable | undefined => {
  const { schema } = operation;
  const selected = selectedFields(operation);
  const roots = selected.flatMap(({ mark, rootKey }) => (rootKey === undefined ? [] : mark));
  const areShared = roots.every(
    ({ parent, field }) => parent !== schema.getMutationType() && field.extensions.shared === true,
  );
  if (!areShared || selected.some(({ mark }) => isOwn(schema, mark))) {
    return undefined;
  }
  const fields = roots.map(({ field }) => field.name);
  shareables += 1;
  return { id: String(shareables), fields, isOwn: false };
});

/** Whether a field is declared to depend on the caller, in its parent type or in any of that type's possible types. */
function isOwn(schema: GraphQLSchema, { parent, field }: SelectedField): boolean {
  const types = isAbstractType(parent) ? schema.getPossibleTypes(parent) : [];
  const behind = types.map((type) => type.getFields()[field.name]);
  return [field, ...behind].some((member) => member?.extensions.shared === false);
}

/**
 * Returns the context for an execution that several requests may share: the leading request's context, which reports each access
 * to a member that belongs to that request. No access is rejected, because the result is correct for the leading request in any
 * case.
 *
 * @param services the members that are the same for all requests; the context contains the same objects or values
 * @param note called with the name of the accessed member, or with a different description of the access
 */
function sharedContext(context: object, services: object, note: (name: string) => void): object {
  const noteUnlessShared = (name: string | symbol): void => {
    const value: unknown = Object.hasOwn(services, name) ? Reflect.get(context, name) : undefined;
    const isSharable = Object.hasOwn(services, name)
      ? value === Reflect.get(services, name) || reportsOwnReads(value)
      : // Libraries look up their own symbols, which a context has only if they were added to it.
        typeof name === 'symbol' && !Reflect.has(context, name);
    if (!isSharable) {
      note(String(name));
    }
  };
  return new Proxy(context, {
    get(target, name) {
      noteUnlessShared(name);
      const value: unknown = Reflect.get(target, name);
      return value;
    },
    has(target, name) {
      noteUnlessShared(name);
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      noteUnlessShared(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      note('all members');
      return Reflect.ownKeys(target);
    },
    // A written value may belong to the caller, but would later be read as if all requests shared it.
    set(target, name, value) {
      note(String(name));
      return Reflect.set(target, name, value);
    },
    defineProperty(target, name, descriptor) {
      note(String(name));
      return Reflect.defineProperty(target, name, descriptor);
    },
    deleteProperty(target, name) {
      note(String(name));
      return Reflect.deleteProperty(target, name);
    },
  });
}
