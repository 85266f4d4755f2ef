import {
  GraphQLError,
  GraphQLID,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isEnumType,
  isSpecifiedScalarType,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { placedAt } from '@gateway/errors/coded-error';
import { perOperation } from './memoize-per-operation.ts';

/** Of more nodes than these it takes longer to compile a document than to parse and validate it. */
const MAXIMUM_NODES = 300;

type Values = Record<string, unknown>;
type Program = CompiledQuery<Values, Values>;

/**
 * Executes an operation by a program that is compiled from it, as graphql-js would. One is compiled from
 * an operation that comes for the second time: that takes longer than to execute it, and a document may
 * well be sent only once. None is compiled from one with @skip or @include: graphql-jit 0.8.9 loses fields
 * of fragments that are used twice, and takes a condition of null for false. Nor from a mutation of several
 * fields: it goes on with the next one when one has failed.
 *
 * @returns undefined if there is no program for it, or its program has refused the variables without
 *   executing anything: graphql-js takes a bigint for an ID, and tells what it doesn't take in words that
 *   are known here
 */
export function executeCompiled(
  args: ExecutionArgs,
): Promise<ExecutionResult | undefined> | undefined {
  const program = programOf(args).use();
  return program && run(program, args);
}

const programOf = perOperation((document, schema) => {
  let uses = 0;
  let program: Program | undefined;

  async function compile(): Promise<void> {
    // No start needs it.
    const { compileQuery, isCompiledQuery } = await import('graphql-jit');
    const outcome = compileQuery<Values, Values>(schema, document, undefined, {
      customSerializers: serializersOf(schema),
    });
    program = isCompiledQuery(outcome) ? outcome : undefined;
  }

  return {
    /** Counts a use, and tells the program if there is one by now. */
    use: (): Program | undefined => {
      uses += 1;
      if (uses === 2 && isCompilable(document)) {
        void compile();
      }
      return program;
    },
  };
});

function isCompilable(document: DocumentNode): boolean {
  return isSmall(document) && !hasConditions(document) && !isSerial(document);
}

function isSmall(document: DocumentNode): boolean {
  let nodes = 0;
  visit(document, {
    enter: () => {
      nodes += 1;
    },
  });
  return nodes <= MAXIMUM_NODES;
}

/** Whether there are fields that are executed one after the other, until one has failed. */
function isSerial({ definitions }: DocumentNode): boolean {
  return definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      definition.operation === OperationTypeNode.MUTATION &&
      !(
        definition.selectionSet.selections.length === 1 &&
        definition.selectionSet.selections[0]?.kind === Kind.FIELD
      ),
  );
}

function hasConditions(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Directive: ({ name }) => {
      found ||=
        name.value === GraphQLSkipDirective.name || name.value === GraphQLIncludeDirective.name;
    },
  });
  return found;
}

/**
 * What sends a leaf as a resolver gives it: types hold all but ids to text, numbers and booleans (src/schema/builder.ts),
 * and an enum's values stand for themselves. Ids may be bigints.
 */
function serializersOf(schema: GraphQLSchema): Record<string, (value: unknown) => unknown> {
  const plain = Object.values(schema.getTypeMap()).filter((type) =>
    isEnumType(type)
      ? type.getValues().every(({ name, value }) => name === value)
      : isSpecifiedScalarType(type) && type !== GraphQLID,
  );
  return Object.fromEntries(plain.map(({ name }) => [name, asItIs]));
}

function asItIs(value: unknown): unknown {
  return value;
}

async function run(
  { query }: Program,
  { rootValue, contextValue, variableValues }: ExecutionArgs,
): Promise<ExecutionResult | undefined> {
  const result = await query(rootValue, contextValue, variableValues);
  if (!('data' in result)) {
    return undefined;
  }
  return result.errors === undefined
    ? result
    : { ...result, errors: result.errors.map(asOwnError) };
}

/** An error as graphql-js makes it: a compiled program's own has parts that can't be set any more. */
function asOwnError(error: GraphQLError): GraphQLError {
  const { message, originalError } = error;
  return placedAt(error, new GraphQLError(message, { originalError: originalError ?? null }));
}
