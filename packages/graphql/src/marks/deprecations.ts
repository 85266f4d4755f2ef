import {
  getNamedType,
  GraphQLError,
  isLeafType,
  isObjectType,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { ERROR_KINDS, placedAt } from '@store-gateway/ops/errors';
import {
  firstRemoved,
  fixedReplacementCall,
  removalError,
  deprecationOfType,
} from '../extensions/deprecation.ts';
import type { NamedDeprecation } from '../extensions/extensions.ts';
import type { ValidOperation } from '../execution/operation.ts';
import { type Use, createUses } from './uses.ts';

/** Finds the deprecated elements that operations use. */
export const {
  /** Where an operation with its variables uses deprecated elements. */
  usesOf,
  /** Where an operation uses deprecated elements whatever its variables are, and where it may use them. */
  possibleUsesOf,
} = createUses<NamedDeprecation>({
  ofField: ({ extensions }) => extensions.deprecation,
  ofGiven: ({ extensions }) => extensions.deprecation,
  ofCondition: deprecationOfType,
});

/** An operation's uses of deprecated elements. */
type Uses = readonly Use<NamedDeprecation>[];

/** The deprecation that is announced for an operation, and its replacement. */
export interface SelectedDeprecation {
  readonly deprecation: NamedDeprecation;
  /** A document that calls the replacement, if that is a field. */
  readonly successor: string | undefined;
}

const selected = new WeakMap<NamedDeprecation, SelectedDeprecation>();

/** The deprecation that an operation uses; if there are several, the one that is removed first. */
export function deprecationOf(operation: ValidOperation): SelectedDeprecation | undefined {
  const uses = usesOf(operation);
  if (uses.length === 0) {
    return undefined;
  }
  const deprecation = firstRemoved(uses.map((use) => use.mark));
  if (deprecation === undefined) {
    return undefined;
  }
  const known = selected.get(deprecation);
  if (known !== undefined) {
    return known;
  }
  const found = { deprecation, successor: successorOf(deprecation, operation.schema) };
  selected.set(deprecation, found);
  return found;
}

/** Returns a document that calls the replacement, and selects all its leaves. */
function successorOf(
  deprecation: NamedDeprecation,
  schema: GraphQLSchema,
): SelectedDeprecation['successor'] {
  const call = fixedReplacementCall(deprecation);
  const [field] = deprecation.replacement.fields ?? [];
  if (call === undefined || field === undefined) {
    return undefined;
  }
  const type = getNamedType(schema.getQueryType()?.getFields()[field]?.type);
  const leaves = isObjectType(type)
    ? Object.values(type.getFields()).filter(
        ({ type: ofMember, extensions }) =>
          isLeafType(getNamedType(ofMember)) &&
          extensions.isVersion !== true &&
          extensions.deprecation === undefined,
      )
    : [];
  return `{ ${call} { ${leaves.map(({ name }) => name).join(' ')} } }`;
}

/**
 * Returns the error for an operation that uses something removed; undefined if it doesn't. Removed fields of Query and Mutation
 * reject their calls themselves, so that the fields beside them are executed.
 *
 * @param now milliseconds since 1970
 */
export function removalFault(uses: Uses, now: number): GraphQLError | undefined {
  for (const { rootKey, mark, node } of uses) {
    const error = rootKey === undefined ? removalError(mark, now) : undefined;
    if (error !== undefined) {
      // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
      error.extensions.http = { status: ERROR_KINDS.GONE.status, spec: true };
      return placedAt(new GraphQLError('', { nodes: node }), error);
    }
  }
  return undefined;
}

/**
 * Returns the names of the deprecated elements that an operation has called, even if its result is shared: a field of Query or
 * Mutation once per call, and anything else once.
 */
export function deprecatedCalls(uses: Uses, { data }: Pick<ExecutionResult, 'data'>): string[] {
  if (uses.length === 0 || data === undefined) {
    // Without `data`, the operation was rejected before anything was called.
    return [];
  }
  const calls = new Map<string, string>();
  for (const { mark, rootKey } of uses) {
    // A field that a directive omits isn't called.
    if (rootKey === undefined || data === null || data[rootKey] !== undefined) {
      calls.set(`${rootKey ?? ''} ${mark.of}`, mark.of);
    }
  }
  return [...calls.values()];
}
