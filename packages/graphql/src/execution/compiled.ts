import {
  getNamedType,
  getOperationAST,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  isAbstractType,
  isEnumType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  TypeNameMetaFieldDef,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLOutputType,
  type GraphQLSchema,
  astFromValue,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  valueFromASTUntyped,
  type GraphQLInputType,
  type ValueNode,
} from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { ERROR_KINDS, errorCode, errorStatus, placedAt } from '@store-gateway/ops/errors';
import { memoizePerOperation } from './operation.ts';
import { executeWithRows, type OperationArgs } from './written-rows.ts';
import { isJsonObject } from '@store-gateway/ops';

/** Maximum number of nodes in a document to compile. A larger document takes longer to compile than to parse and validate. */
const MAX_NODES = 300;

const CONDITIONS = new Set(['skip', 'include']);

type Values = Record<string, unknown>;
type Program = (args: ExecutionArgs) => ReturnType<CompiledQuery<Values, Values>['query']>;

/**
 * Executes an operation with graphql-jit, with the same results as graphql-js. An operation is compiled when it is requested for
 * the second time, because compiling takes longer than executing, and many documents are sent only once.
 *
 * @returns undefined if graphql-js has to execute the operation, because the operation isn't compiled, the variables were
 *   rejected before anything was executed, or fields of a query failed. graphql-js accepts a bigint as an ID, reports errors in
 *   the wording that clients know, and may cancel fields or report errors in a different order.
 */
export async function executeCompiled(args: OperationArgs): Promise<ExecutionResult | undefined> {
  const program = programOf(args)();
  const result = program && (await executeWithRows(args, program));
  if (result === undefined || !('data' in result)) {
    return undefined;
  }
  if (result.errors === undefined) {
    return result;
  }
  const errors = result.errors.map(asGraphQLError);
  // If the database is unavailable, the query isn't executed again.
  const isOne = errors.length === 1 && (result.data !== null || isFromOnlyField(errors[0], args));
  return isOne || errors.some(isUnavailable) || !isQuery(args)
    ? { errors, data: result.data }
    : undefined;
}

/** Whether an error belongs to the operation's only root field. */
function isFromOnlyField(error: GraphQLError | undefined, args: OperationArgs): boolean {
  const { selections = [] } =
    getOperationAST(args.document, args.operationName)?.selectionSet ?? {};
  return error?.path?.length === 1 && selections.length === 1 && selections[0]?.kind === Kind.FIELD;
}

function isUnavailable(error: GraphQLError): boolean {
  return errorStatus(errorCode(error) ?? '') === ERROR_KINDS.SERVICE_UNAVAILABLE.status;
}

function isQuery({ document, operationName }: OperationArgs): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY;
}

/** Counts a use of the operation, and returns its program if it has been compiled. */
const programOf = memoizePerOperation(({ schema, document }) => {
  let uses = 0;
  let program: Program | undefined;

  async function compile(): Promise<void> {
    // Imported on first use, because startup doesn't need it.
    const { compileQuery, isCompiledQuery } = await import('graphql-jit');
    const outcome = compileQuery<Values, Values>(schema, document, undefined, {
      customSerializers: serializersOf(schema),
    });
    if (isCompiledQuery(outcome)) {
      const fillDefaults = createFillDefaults(schema, document);
      program = ({ rootValue, contextValue, variableValues }) =>
        outcome.query(rootValue, contextValue, fillDefaults(variableValues ?? {}));
    }
  }

  return () => {
    uses += 1;
    if (uses === 2 && isCompilable(schema, document)) {
      void compile();
    }
    return program;
  };
});

/**
 * Whether to compile a document: it is short enough, and uses nothing that graphql-jit 0.8.9 gets wrong. With the directives
 * `@skip` and `@include`, graphql-jit loses fields of fragments that are used twice, and treats a null condition as false. After
 * a failed field of a mutation, it executes the next one. It treats a promise from `isTypeOf` as true, and the alias `__proto__`
 * as the prototype in an object literal. Within a list or an object, it passes an omitted nullable variable as null, even where
 * null isn't accepted.
 */
function isCompilable(schema: GraphQLSchema, document: DocumentNode): boolean {
  const operation = getOperationAST(document);
  const nullable = new Set(
    operation?.variableDefinitions
      ?.filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  const isMutation = operation?.operation === OperationTypeNode.MUTATION;
  const typeInfo = new TypeInfo(schema);
  let nodes = 0;
  let isExact = true;
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      enter: (node, _key, parent) => {
        nodes += 1;
        isExact &&= !(
          (node.kind === Kind.DIRECTIVE && CONDITIONS.has(node.name.value)) ||
          (node.kind === Kind.VARIABLE && nullable.has(node.name.value) && isWithinValue(parent)) ||
          (node.kind === Kind.FIELD &&
            (node.alias?.value === '__proto__' ||
              isChecked(typeInfo.getType(), schema) ||
              (isMutation && isResolvedBelow(typeInfo, schema))))
        );
      },
    }),
  );
  return nodes <= MAX_NODES && isExact && !isSerial(document);
}

/** Whether a node's parent is a list or an object. */
function isWithinValue(parent: ASTNode | readonly ASTNode[] | undefined): boolean {
  return parent !== undefined && (!('kind' in parent) || parent.kind === Kind.OBJECT_FIELD);
}

/**
 * Whether a field below a field of Mutation has a resolver. If several resolvers fail, a query would be executed again by
 * graphql-js, but a mutation can't be.
 */
function isResolvedBelow(typeInfo: TypeInfo, schema: GraphQLSchema): boolean {
  const field = typeInfo.getFieldDef();
  return (
    typeInfo.getParentType() !== schema.getMutationType() &&
    field !== TypeNameMetaFieldDef &&
    field?.resolve !== undefined &&
    field.extensions.isVersion !== true
  );
}

/** Whether a type, or a possible type of an interface or union, checks values with `isTypeOf`. */
function isChecked(output: GraphQLOutputType | null | undefined, schema: GraphQLSchema): boolean {
  const type = getNamedType(output);
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return types.some((each) => isObjectType(each) && each.isTypeOf != null);
}

/** Whether the operation is a mutation of several fields, which are executed one after the other until one fails. */
function isSerial(document: DocumentNode): boolean {
  const operation = getOperationAST(document);
  const [selection, another] = operation?.selectionSet.selections ?? [];
  return (
    operation?.operation === OperationTypeNode.MUTATION &&
    (selection?.kind !== Kind.FIELD || another !== undefined)
  );
}

/** The types that must serialize their values: an ID may be a bigint, and JSON would write an infinite Float as null. */
const JUDGED = new Set([GraphQLID.name, GraphQLFloat.name]);

/**
 * Returns serializers that pass on the leaf values from resolvers unchanged. TypeScript's types ensure that all other values are
 * strings, integers and booleans, and that the values of these enums equal their names.
 */
function serializersOf(schema: GraphQLSchema): Record<string, (value: unknown) => unknown> {
  const plain = Object.values(schema.getTypeMap()).filter((type) =>
    isEnumType(type)
      ? type.getValues().every(({ name, value }) => name === value)
      : isSpecifiedScalarType(type) && !JUDGED.has(type.name),
  );
  return Object.fromEntries(plain.map(({ name }) => [name, (value: unknown) => value]));
}

/**
 * Converts an error to graphql-js's form. The errors from a compiled program have properties that can no longer be set, and an
 * empty list of locations if the document was parsed without locations.
 */
function asGraphQLError({ message, originalError, path, locations }: GraphQLError): GraphQLError {
  const place = { path, locations: locations?.length === 0 ? undefined : locations };
  return placedAt(place, new GraphQLError(message, { originalError: originalError ?? null }));
}

/** The default value of a variable or input field, and the defaults to fill in within a value that the client sent. */
interface Place {
  readonly name: string;
  readonly missing: unknown;
  readonly fill: ((value: unknown) => unknown) | undefined;
}

/**
 * Fills in the defaults of omitted variables and input fields that don't accept null, which graphql-jit 0.8.9 forgets. The
 * defaults are added to copies, in the form in which a client would have sent them.
 */
function createFillDefaults(
  schema: GraphQLSchema,
  document: DocumentNode,
): (variables: Values) => Values {
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  const places = definitions.flatMap(({ variable, type: typeNode, defaultValue }) => {
    const type = typeFromAST(schema, typeNode);
    return isInputType(type) ? placesOf(variable.name.value, type, defaultValue) : [];
  });
  return (variables) => filled(variables, places);
}

/**
 * Returns the defaults to fill in; undefined if there are none. The recursion ends, because operations with recursive input types
 * aren't compiled.
 */
function placesOf(
  name: string,
  type: GraphQLInputType,
  defaultNode: ValueNode | null | undefined,
): Place[] {
  const missing = isNonNullType(type) && defaultNode ? valueFromASTUntyped(defaultNode) : undefined;
  const fill = fillOf(type);
  return missing === undefined && fill === undefined ? [] : [{ name, missing, fill }];
}

function fillOf(type: GraphQLInputType): Place['fill'] {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const fill = fillOf(nullable.ofType);
    return fill && ((value) => (Array.isArray(value) ? value.map(fill) : fill(value)));
  }
  if (!isInputObjectType(nullable)) {
    return undefined;
  }
  const places = Object.values(nullable.getFields()).flatMap((field) =>
    placesOf(field.name, field.type, astFromValue(field.defaultValue, field.type)),
  );
  return places.length === 0
    ? undefined
    : (value) => (isJsonObject(value) ? filled(value, places) : value);
}

function filled(values: Values, places: readonly Place[]): Values {
  let copy: Record<string, unknown> | undefined;
  for (const { name, missing, fill } of places) {
    const given = values[name];
    const value = given === undefined ? missing : (fill?.(given) ?? given);
    if (value !== given) {
      copy ??= { ...values };
      copy[name] = value;
    }
  }
  return copy ?? values;
}
