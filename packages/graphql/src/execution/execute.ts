import {
  execute as executeByReference,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  typeFromAST,
  valueFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { ERROR_KINDS, placedAt, publicError, tooSlow } from '@store-gateway/ops/errors';
import { createTimeouts, tracer } from '@store-gateway/ops';
import { deprecatedCalls, removalFault, usesOf } from '../marks/deprecations.ts';
import { executeCompiled } from './compiled.ts';
import { createCoalescedReads } from './coalesced-reads.ts';
import { type MutationListeners, type MutationOutcome, reportMutations } from './mutations.ts';
import type { OperationArgs, PlanRows } from './written-rows.ts';
import {
  inputError,
  type InputFault,
  inputFaults,
  inputsByVariable,
  isCoercible,
  type PlacedInput,
} from '../extensions/input-faults.ts';
import { memoizePerOperation } from './operation.ts';

/** An operation of the schema, in a valid document. */
export interface Operation extends Pick<
  ExecutionArgs,
  'document' | 'operationName' | 'variableValues'
> {
  /** Plans how to write rows as JSON, for callers that accept `WrittenJson` in the result. By default, rows are objects. */
  readonly planRows?: PlanRows | undefined;
}

/** The request that an operation belongs to: its caller, its idempotency key, and the listeners for its mutations. */
export interface OperationRequest<Caller> extends MutationListeners {
  readonly caller: Caller;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Executes an operation. Never rejects. All errors in the result may be shown to the caller. Coalesced requests share the result,
 * so it must not be changed.
 */
export type Execute<Caller> = (
  operation: Operation,
  request: OperationRequest<Caller>,
) => Promise<ExecutionResult>;

/** Executes an operation within its request's deadline. Rejects with SERVICE_UNAVAILABLE or OVERLOADED if the deadline passes. */
export type ExecuteInTime<Caller> = (
  operation: Operation,
  request: OperationRequest<Caller> & {
    /** Milliseconds that the request has already waited for the database. */
    readonly waited: number;
  },
) => Promise<ExecutionResult>;

/**
 * A step around the execution of an operation. It calls `next`, or returns its own result. Several requests may share the
 * result of `next`, so it must not be changed.
 */
export type OperationStep<Caller> = (
  ...args: [...Parameters<ExecuteInTime<Caller>>, next: ExecuteInTime<Caller>]
) => ReturnType<ExecuteInTime<Caller>>;

/** Runs these steps in order around the execution of each operation. */
export function runOperationSteps<Caller>(
  steps: readonly OperationStep<Caller>[],
  execute: ExecuteInTime<Caller>,
): ExecuteInTime<Caller> {
  // Rows are objects here, because steps may read the results.
  const executeUnplanned: ExecuteInTime<Caller> = (operation, request) =>
    execute({ ...operation, planRows: undefined }, request);
  return steps.reduceRight<ExecuteInTime<Caller>>(
    (next, step) => (operation, request) => step(operation, request, next),
    executeUnplanned,
  );
}

/** The contexts of executions, and callbacks for their events. */
interface ExecuteOptions<Caller> {
  /**
   * The context members that are the same for all requests. An execution whose resolvers read no other members may serve several
   * requests.
   */
  readonly services: object;
  /** Creates the context of a request. Defaults to the services. */
  readonly contextOf?: (request: OperationRequest<Caller>) => object;
  /** Called once for each execution, with the leading request. */
  readonly onExecuted?: (operation: ExecutionArgs, request: OperationRequest<Caller>) => void;
  /** Called for each call of a deprecated root field, and for each operation that uses any other deprecated element. */
  readonly onDeprecatedCall?: (request: OperationRequest<Caller>, of: string) => void;
  /** Called for each field of Mutation when its outcome is known. */
  readonly onMutation?: (request: OperationRequest<Caller>, mutation: MutationOutcome) => void;
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Returns a function that executes a schema's operations. It coalesces identical reads and, from the announced day on, rejects
 * uses of removed elements.
 */
export function createExecute<Caller>(
  schema: GraphQLSchema,
  {
    services,
    contextOf = () => services,
    onExecuted,
    onDeprecatedCall,
    onMutation,
    now = Date.now,
  }: ExecuteOptions<Caller>,
): Execute<Caller> {
  const read = createCoalescedReads<OperationRequest<Caller>>({
    execute: async (args, request) => {
      const result = await executeOnce(args);
      onExecuted?.(args, request);
      return result;
    },
    services,
    contextOf,
  });
  const execute: Execute<Caller> = async (operation, request) => {
    const args = { schema, ...operation };
    const uses = usesOf(args);
    const fault = uses.length === 0 ? undefined : removalFault(uses, now());
    const result = fault === undefined ? await read(args, request) : { errors: [fault] };
    for (const of of deprecatedCalls(uses, fault === undefined ? result : { data: null })) {
      onDeprecatedCall?.(request, of);
    }
    // A shared error is logged only once, so each other request that gets it records the id of the request that logged it.
    result.errors?.forEach(publicError);
    return result;
  };
  const told = onMutation === undefined ? execute : reportMutations(schema, execute, onMutation);
  return tracer.executions(told, schema, ({ document, operationName }) =>
    getOperationAST(document, operationName),
  );
}

async function executeOnce(args: OperationArgs): Promise<ExecutionResult> {
  const isLarge = areLarge(args);
  const refusal = isLarge ? rejectedVariables(args) : undefined;
  if (refusal !== undefined) {
    return { errors: [refusal] };
  }
  const result =
    (isLarge ? undefined : await executeCompiled(args)) ?? (await executeByReference(args));
  return result.errors === undefined
    ? result
    : { ...result, errors: errorsWithVariablesNamed(result, args).map(publicError) };
}

/** A request's timeout budget for the database. It leaves enough time to answer the request within 2 s. */
export const REQUEST_TIMEOUT_MS = 1800;

/**
 * Resolves to a promise's result, unless the timeout budget is used up first.
 *
 * @param waited milliseconds that the request has already waited
 * @throws SERVICE_UNAVAILABLE
 */
export type WithDeadline = <T>(waited: number, answer: Promise<T>) => Promise<T>;

/**
 * Creates a deadline, which rejects with SERVICE_UNAVAILABLE when a request's timeout budget is used up. It is needed because a
 * request may run several statements, each with its own timeout. Work in progress isn't cancelled, so its outcome is unknown, as
 * with any SERVICE_UNAVAILABLE.
 *
 * @param timeout the budget in milliseconds
 */
export function createDeadline(timeout = REQUEST_TIMEOUT_MS): WithDeadline {
  const startTimeout = createTimeouts();
  return (waited, answer) =>
    new Promise((resolve, reject) => {
      const stop = startTimeout(timeout - waited, () => {
        reject(tooSlow(`the request was not answered within ${timeout} ms`));
      });
      answer.then(resolve, reject).finally(stop);
    });
}

/**
 * Replaces the executor's own errors about variables with BAD_USER_INPUT, in the wording of the schema's input rules. The
 * executor reports these errors without a code, before it starts or, if a nullable variable is passed to a non-null argument, at
 * the field.
 */
function errorsWithVariablesNamed(
  { errors = [], ...result }: ExecutionResult,
  args: ExecutionArgs,
): readonly GraphQLError[] {
  const faults = errors.some(isUncoded) ? variableFaults(args) : [];
  if (faults.length === 0) {
    return errors;
  }
  const named = errors.map((error) => (isUncoded(error) ? variableError(faults, error) : error));
  // Without `data`, nothing was executed, so one error covers all variables.
  return 'data' in result ? named : named.slice(0, 1);
}

/**
 * Returns the error for variables that can't be coerced, without executing anything; undefined if all can be. The error is
 * located at the first such variable.
 */
function rejectedVariables(args: ExecutionArgs): GraphQLError | undefined {
  const operation = getOperationAST(args.document, args.operationName);
  const refused = operation?.variableDefinitions?.find(({ variable, type: typeNode }) => {
    const type = typeFromAST(args.schema, typeNode);
    const given = args.variableValues?.[variable.name.value];
    return given !== undefined && isInputType(type) && !isCoercible(given, type);
  });
  const faults = refused === undefined ? [] : variableFaults(args);
  return faults.length === 0
    ? undefined
    : variableError(faults, new GraphQLError('', { nodes: refused ?? null }));
}

/** Whether the executor itself reported an error. An error that a resolver threw has a code or an `originalError`. */
function isUncoded({ extensions, originalError }: GraphQLError): boolean {
  const isThrownByResolver = originalError != null && !(originalError instanceof GraphQLError);
  return extensions['code'] === undefined && !isThrownByResolver;
}

function variableError(faults: readonly InputFault[], error: GraphQLError): GraphQLError {
  const { message, extensions } = inputError(faults);
  if (error.path === undefined) {
    // `spec` marks the request as well-formed, so clients that accept application/json get 200.
    extensions.http = { status: ERROR_KINDS.BAD_USER_INPUT.status, spec: true };
  }
  return placedAt(error, new GraphQLError(message, { extensions }));
}

const inputsOf = memoizePerOperation(({ schema, document }) => inputsByVariable(schema, document));

/**
 * Returns the faults of an operation's variables. They are named after the argument or input field that the variable is passed
 * to, so that both APIs describe a fault in the same words.
 */
function variableFaults(args: ExecutionArgs): InputFault[] {
  const inputs = inputsOf(args);
  const values = new Map<string, unknown>(Object.entries(args.variableValues ?? {}));
  const operation = getOperationAST(args.document, args.operationName);
  return (operation?.variableDefinitions ?? []).flatMap((definition) => {
    const name = definition.variable.name.value;
    return faultsOf(args.schema, definition, inputs.get(name), values.get(name));
  });
}

function faultsOf(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue: defaultNode }: VariableDefinitionNode,
  input: PlacedInput | undefined,
  given: unknown,
): InputFault[] {
  const type = typeFromAST(schema, typeNode);
  if (!isInputType(type)) {
    return [];
  }
  const defaultValue = defaultNode && valueFromAST(defaultNode, type);
  const value = given === undefined ? defaultValue : given;
  if (value === null && input !== undefined && isNonNullType(input.type)) {
    return inputFaults(input, null, input.path);
  }
  const { name, extensions, path } = input ?? { name: variable.name.value, extensions: {} };
  return inputFaults({ name, type, defaultValue, extensions }, value, path);
}

/** Maximum number of members for which executors may create errors: each error takes about 10 µs. */
const MAX_MEMBERS = 50;

/**
 * Whether variables have so many members and items that their faults must be limited before an executor sees them. graphql-jit
 * reports all faults, and graphql-js prints the whole value in each of 50 errors.
 */
function areLarge({ variableValues }: ExecutionArgs): boolean {
  return remainingMembers(variableValues, MAX_MEMBERS) < 0;
}

/** Subtracts the number of a value's members from a maximum, and stops when the result is negative. */
function remainingMembers(value: unknown, most: number): number {
  let left = most;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let index = 0; left >= 0 && index < value.length; index += 1) {
      left = remainingMembers(value[index], left);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const name in value) {
      left = remainingMembers(Reflect.get(value, name), left - 1);
      if (left < 0) {
        break;
      }
    }
  }
  return left;
}
