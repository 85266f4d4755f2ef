import {
  getOperationAST,
  GraphQLError,
  isInputType,
  isNonNullType,
  typeFromAST,
  valueFromAST,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';
import { ERROR_KINDS, placedAt } from '@store-gateway/ops/errors';
import {
  inputError,
  inputFaults,
  isCoercible,
  type InputFault,
  inputsByVariable,
  type PlacedInput,
} from '../extensions/input-faults.ts';
import { memoizePerOperation } from './operation.ts';

/**
 * Replaces the executor's own errors about variables with BAD_USER_INPUT, in the words of the schema's input rules. The
 * executor reports them without a code: before it starts or, if a nullable variable is passed to a non-null argument, at the
 * field.
 */
export function errorsWithVariablesNamed(
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
 * The error for variables that can't be coerced, without executing anything; undefined if all can. It is located at the first
 * such variable.
 */
export function refusedVariables(args: ExecutionArgs): GraphQLError | undefined {
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

/** Whether an error is the executor's own. A resolver's error has a code, or the thrown error as its original. */
function isUncoded({ extensions, originalError }: GraphQLError): boolean {
  const isThrownByResolver = originalError != null && !(originalError instanceof GraphQLError);
  return extensions['code'] === undefined && !isThrownByResolver;
}

function variableError(faults: readonly InputFault[], error: GraphQLError): GraphQLError {
  const { message, extensions } = inputError(faults);
  if (error.path === undefined) {
    // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
    extensions.http = { status: ERROR_KINDS.BAD_USER_INPUT.status, spec: true };
  }
  return placedAt(error, new GraphQLError(message, { extensions }));
}

const inputsOf = memoizePerOperation(({ schema, document }) => inputsByVariable(schema, document));

/**
 * The faults of an operation's variables. A variable is named after the argument or input field that it is passed to, so that
 * both APIs use the same words for a fault.
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

/** Maximum number of members whose executor errors do no harm: each error takes about 10 µs. */
const MAX_MEMBERS = 50;

/**
 * Whether variables have so many members and items that their faults must be limited before an executor sees them: graphql-jit
 * reports all that it finds, and graphql-js prints the whole value in each of 50 errors.
 */
export function areLarge({ variableValues }: ExecutionArgs): boolean {
  return membersLeft(variableValues, MAX_MEMBERS) < 0;
}

/** Subtracts the number of a value's members from a maximum, and stops when the result is negative. */
function membersLeft(value: unknown, most: number): number {
  let left = most;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let index = 0; left >= 0 && index < value.length; index += 1) {
      left = membersLeft(value[index], left);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const name in value) {
      left = membersLeft(Reflect.get(value, name), left - 1);
      if (left < 0) {
        break;
      }
    }
  }
  return left;
}
