import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  type ParseOptions,
  type SelectionNode,
  type SelectionSetNode,
  type Source,
  validate,
  type ValidationContext,
  type ValidationRule,
  type VariableDefinitionNode,
} from 'graphql';
import { placedAt } from '@store-gateway/ops/errors';

/** Maximum number of lexical tokens in a document: five times as many as an introspection query has. */
const MAX_TOKENS = 1000;

/** Maximum number of levels of nested fields. A query for a page has 4 levels, an introspection query 15. */
const MAX_DEPTH = 20;

/** Maximum number of aliases. An alias in a fragment counts once for each use of the fragment. */
const MAX_ALIASES = 30;

/** Maximum number of directives. A directive in a fragment counts once for each use of the fragment. */
const MAX_DIRECTIVES = 50;

/**
 * Maximum number of comparisons between fields with the same name (`countComparisons`). It allows 283 leaves, or 69 lists of
 * objects.
 */
const MAX_COMPARISONS = 40_000;

/** Maximum number of errors to report for a document. Creating an error takes as long as checking ten fields. */
const MAX_ERRORS = 20;

/**
 * Maximum number of lines in a document whose errors have locations. For each error, graphql-js counts the lines from the start.
 */
const MAX_LOCATED_LINES = 1000;

/**
 * Parses a document of at most MAX_TOKENS tokens: graphql-js parses recursively, so a document of opening brackets would exhaust
 * the stack. The nodes of a document with more than MAX_LOCATED_LINES lines have no locations.
 *
 * @throws GraphQLError
 */
export function parseWithinBounds(source: string | Source, options?: ParseOptions): DocumentNode {
  const text = typeof source === 'string' ? source : source.body;
  const noLocation =
    text.length > MAX_LOCATED_LINES && (text.match(/[\n\r]/g) ?? []).length > MAX_LOCATED_LINES;
  try {
    return parse(source, { ...options, maxTokens: MAX_TOKENS, noLocation });
  } catch (error) {
    // The error can be recognized only by its text. graphql-js stops at the limit, so the total number of tokens is unknown.
    if (error instanceof GraphQLError && error.message.includes('tokens. Parsing aborted')) {
      throw placedAt(
        error,
        new GraphQLError(`The document has too many tokens; at most ${MAX_TOKENS} are allowed`),
      );
    }
    throw error;
  }
}

/**
 * Validates a document with these rules and `KnownOperationTypesRule`. A document that exceeds a limit isn't validated any
 * further.
 */
export function validateWithinBounds(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  const faults = shapeFaults(document);
  if (faults.length > 0) {
    return faults;
  }
  return countComparisons(document) > MAX_COMPARISONS
    ? [new GraphQLError('The document has too many fields of the same name to be validated')]
    : validate(schema, document, [...rules, KnownOperationTypesRule], { maxErrors: MAX_ERRORS });
}

function shapeFaults(document: DocumentNode): GraphQLError[] {
  return shapesOf(document).flatMap(([operation, { depth, aliases, directives }]) => {
    const figures = [
      [depth, MAX_DEPTH, `is nested ${depth} levels deep`],
      [aliases, MAX_ALIASES, `has ${aliases} aliases`],
      [directives, MAX_DIRECTIVES, `has ${directives} directives`],
    ] as const;
    return figures
      .filter(([figure, maximum]) => figure > maximum)
      .map(([, maximum, fault]) => {
        const message = `The document ${fault}; at most ${maximum} are allowed`;
        return new GraphQLError(message, { nodes: operation });
      });
  });
}

type Part =
  | OperationDefinitionNode
  | VariableDefinitionNode
  | FragmentDefinitionNode
  | SelectionNode;

/** The size of an operation's text with all fragments expanded. */
interface Shape {
  /** The number of levels of nested fields. */
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
}

const EMPTY: Shape = { depth: 0, aliases: 0, directives: 0 };

/**
 * Returns the size of each operation of a document, valid or not. Each fragment is visited only once, because a chain of
 * fragments that each use the next one twice expands to an exponential number of fields.
 */
function shapesOf(document: DocumentNode): [OperationDefinitionNode, Shape][] {
  const { operations, fragments } = definitionsOf(document);
  const known = new Map<string, Shape>();

  function shapeOfFragment(name: string): Shape {
    const fragment = fragments.get(name);
    if (fragment !== undefined && !known.has(name)) {
      // A fragment counts as empty within itself, so that the recursion ends. Validation rejects such a fragment.
      known.set(name, EMPTY);
      known.set(name, shapeOf(fragment));
    }
    return known.get(name) ?? EMPTY;
  }

  function shapeOf(part: Part): Shape {
    const isField = part.kind === Kind.FIELD;
    const below = [
      ...('variableDefinitions' in part ? (part.variableDefinitions ?? []) : []),
      ...('selectionSet' in part ? (part.selectionSet?.selections ?? []) : []),
    ].map(shapeOf);
    if (part.kind === Kind.FRAGMENT_SPREAD) {
      below.push(shapeOfFragment(part.name.value));
    }
    const sum = (count: (shape: Shape) => number) =>
      below.reduce((total, shape) => total + count(shape), 0);
    return {
      depth: Math.max(0, ...below.map(({ depth }) => depth)) + (isField ? 1 : 0),
      aliases: sum(({ aliases }) => aliases) + (isField && part.alias !== undefined ? 1 : 0),
      directives: sum(({ directives }) => directives) + (part.directives?.length ?? 0),
    };
  }

  return operations.map((operation) => [operation, shapeOf(operation)]);
}

/** A comparison of fields with arguments or subfields takes as long as this many comparisons of plain leaves. */
const NESTED = 16;

/**
 * Counts the comparisons of fields with the same name that graphql-js makes to check whether they can be merged
 * (https://spec.graphql.org/draft/#sec-Field-Selection-Merging), and stops when there are too many. Pairs of fragments don't
 * count, because each pair is compared only once and a document is too short to contain many.
 */
function countComparisons(document: DocumentNode): number {
  const { operations, fragments } = definitionsOf(document);
  const unused = new Set(fragments.values());
  const counted = new Set<SelectionSetNode>();
  let comparisons = 0;

  /** Counts the comparisons within selection sets of the same object. */
  function count(selectionSets: readonly SelectionSetNode[], level: number): void {
    const [only, another] = selectionSets;
    // The fields of a fragment are compared with each other only once, even if the fragment is used in several places.
    const isCounted = only !== undefined && another === undefined && counted.has(only);
    if (isCounted || level > MAX_DEPTH || comparisons > MAX_COMPARISONS) {
      return;
    }
    if (only !== undefined && another === undefined) {
      counted.add(only);
    }
    for (const fields of fieldsByName(selectionSets)) {
      comparisons += 1 + pairwiseComparisons(fields);
      const below = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) {
        count(below, level + 1);
      }
    }
  }

  function fieldsByName(given: readonly SelectionSetNode[]): Iterable<FieldNode[]> {
    const fields: FieldNode[] = [];
    // The loop also adds the selection sets of the fragments that it encounters.
    const selectionSets = new Set(given);
    for (const { selections } of selectionSets) {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          fields.push(selection);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          selectionSets.add(selection.selectionSet);
        } else {
          const fragment = fragments.get(selection.name.value);
          if (fragment !== undefined) {
            unused.delete(fragment);
            selectionSets.add(fragment.selectionSet);
          }
        }
      }
    }
    return Map.groupBy(fields, ({ alias, name }) => (alias ?? name).value).values();
  }

  operations.forEach(({ selectionSet }) => count([selectionSet], 1));
  // Another rule rejects unused fragments, but graphql-js compares their fields, too.
  unused.forEach(({ selectionSet }) => count([selectionSet], 1));
  return comparisons;
}

function pairwiseComparisons(fields: readonly FieldNode[]): number {
  const leaves = fields.filter(
    ({ arguments: given = [], selectionSet }) => given.length === 0 && selectionSet === undefined,
  );
  return NESTED * pairsOf(fields.length) - (NESTED - 1) * pairsOf(leaves.length);
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}

/** Returns the operations of a document, and its fragments by name. */
export function definitionsOf({ definitions }: DocumentNode) {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return {
    operations: definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION),
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
  };
}

/**
 * Rejects operations of a type that the schema doesn't have, such as subscriptions. Such operations are invalid
 * (https://spec.graphql.org/draft/#sec-Root-Operation-Types), but graphql-js accepts them and fails only when it executes them.
 */
function KnownOperationTypesRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation) == null) {
        const message = `The schema has no ${node.operation} operations.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
    },
  };
}

/** Like graphql-js's NoSchemaIntrospectionCustomRule, but its message says that introspection is disabled. */
export function NoIntrospectionRule(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const name = node.name.value;
      if (name === '__schema' || name === '__type') {
        const message = `Introspection is disabled: ${name} cannot be queried`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
    },
  };
}
