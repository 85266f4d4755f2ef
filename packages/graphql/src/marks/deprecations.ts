import {
  type ExecutionResult,
  getNamedType,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { codedError, ERROR_KINDS, placedAt } from '@store-gateway/ops/errors';
import { type Marker, membersOf } from './walk.ts';
import type { Deprecation, GivenArgument, NamedDeprecation } from '../extensions/extensions.ts';
import type { ValidOperation } from '../execution/operation.ts';
import { createUses, type Use } from './uses.ts';

/** The name of an operation in error messages. The client knows which operation it called. */
const OPERATION = 'This';

/**
 * Adds names to a deprecation.
 *
 * @throws Error if its dates are invalid or in the wrong order
 */
export function named(
  deprecation: Deprecation,
  of: string,
  name: string = OPERATION,
): NamedDeprecation {
  const { since, removal } = deprecation;
  if (!isDay(since) || !isDay(removal) || since >= removal) {
    throw new Error(
      `The deprecation of ${of} must have dates such as 2030-12-05 for since and removal, and removal must be later than since`,
    );
  }
  return { ...deprecation, of, name };
}

/** Whether a text is a day such as "2030-12-05". */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns the time of the removal, in milliseconds since 1970. */
export function removalTime({ removal }: Deprecation): number {
  return Date.parse(removal);
}

/** Returns the deprecation with the earliest removal. */
export function firstRemoved<Some extends Deprecation>(
  deprecations: readonly Some[],
): Some | undefined {
  // Days in this format sort chronologically as text.
  return deprecations.reduce<Some | undefined>(
    (first, each) => (first === undefined || each.removal < first.removal ? each : first),
    undefined,
  );
}

/**
 * Returns the reason of a deprecation: the day of the removal, and the replacement.
 *
 * @param calls calls to the replacement, as clients write them
 */
export function deprecationReason(
  { removal, replacement }: Deprecation,
  calls: readonly string[],
): string {
  const instead = calls.length === 0 ? '' : `: ${calls.join(' or ')}`;
  return `To be removed on ${longDate(removal)}. Use ${replacement.inWords} instead${instead}.`;
}

/** Like `deprecationReason`, with the day of the announcement, for descriptions of elements that have no reason. */
export function deprecationSentences(deprecation: Deprecation, calls: readonly string[]): string {
  return `Deprecated since ${longDate(deprecation.since)}. ${deprecationReason(deprecation, calls)}`;
}

/** Returns calls to the fields that replace a deprecated element, in GraphQL syntax: "items(status: new)". */
export function replacementCalls({ replacement }: Deprecation): string[] {
  const { fields = [], arguments: alternatives = [{}] } = replacement;
  return alternatives.flatMap((alternative) => {
    const inputs = Object.entries(alternative).map(([name, value]) => `${name}: ${literal(value)}`);
    const called = inputs.length === 0 ? '' : `(${inputs.join(', ')})`;
    return fields.map((field) => field + called);
  });
}

function literal(value: string | GivenArgument): string {
  const example = typeof value === 'string' ? value : value.example;
  return typeof example === 'string' ? example : `[${example.join(', ')}]`;
}

/** Returns the first replacement that doesn't depend on the deprecated call's arguments; undefined if there is none. */
function fixedReplacementCall(deprecation: Deprecation): string | undefined {
  const { arguments: alternatives = [{}], ...replacement } = deprecation.replacement;
  const fixed = alternatives.find((alternative) =>
    Object.values(alternative).every((value) => typeof value === 'string'),
  );
  if (fixed === undefined) {
    return undefined;
  }
  const [call] = replacementCalls({
    ...deprecation,
    replacement: { ...replacement, arguments: [fixed] },
  });
  return call;
}

/** Returns the error for a removed element; undefined if it isn't removed yet at `now`, in milliseconds since 1970. */
export function removalError(deprecation: NamedDeprecation, now: number): GraphQLError | undefined {
  return removalTime(deprecation) <= now
    ? codedError('GONE', removalMessage(deprecation))
    : undefined;
}

/** Returns the message of the error GONE for a removed element. */
export function removalMessage({ name, removal, replacement }: NamedDeprecation): string {
  return `${name} was removed on ${longDate(removal)}. Use ${replacement.inWords} instead`;
}

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** Formats a day as "5 December 2030". The first use of Intl would add 13 ms to each start. */
function longDate(day: string): string {
  const date = new Date(day);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}

/** Returns each deprecation of a schema, once. */
export function deprecationsIn(schema: GraphQLSchema): NamedDeprecation[] {
  const all = membersOf(schema).flatMap(({ member }) => member.extensions.deprecation ?? []);
  // The fields and inputs whose type is deprecated share its deprecation.
  return [...new Map(all.map((each) => [each.of, each])).values()];
}

/** Returns the deprecation of an object, input or enum type as a whole. */
export function deprecationOfType(type: GraphQLNamedType): NamedDeprecation | undefined {
  return isObjectType(type) || isInputObjectType(type) || isEnumType(type)
    ? type.extensions.deprecation
    : undefined;
}

/**
 * Rejects a required input of a deprecated type if the element that requires it is removed later than the type. GraphQL can't
 * deprecate required inputs, because operations can't omit them.
 */
export const deprecationChecks: Marker = {
  argument: (argument, of, field, parent) => {
    if (isRequiredArgument(argument)) {
      const { deprecation } = field.extensions;
      expectNoLonger({ type: argument.type, of }, `${parent.name}.${field.name}`, deprecation);
    }
  },
  inputField: (field, of, parent) => {
    if (isRequiredInputField(field)) {
      expectNoLonger({ type: field.type, of }, parent.name, deprecationOfType(parent));
    }
  },
};

function expectNoLonger(
  required: { readonly type: GraphQLInputType; readonly of: string },
  owner: string,
  ofOwner: NamedDeprecation | undefined,
): void {
  const ofType = deprecationOfType(getNamedType(required.type));
  if (ofType !== undefined && firstRemoved([ofOwner ?? ofType, ofType]) !== ofOwner) {
    throw new Error(
      `${ofType.of} can't be deprecated while ${required.of} requires it: make ${required.of} optional, or deprecate ${owner} as well`,
    );
  }
}

/** Finds the deprecated elements that operations use. */
export const {
  /** Returns where an operation uses deprecated elements, given its variables. */
  usesOf,
  /**
   * Returns where an operation uses deprecated elements whatever its variables are, and where it uses them only with some
   * variables.
   */
  possibleUsesOf,
} = createUses<NamedDeprecation>({
  ofField: ({ extensions }) => extensions.deprecation,
  ofGiven: ({ extensions }) => extensions.deprecation,
  ofCondition: deprecationOfType,
});

/** An operation's uses of deprecated elements. */
type Uses = readonly Use<NamedDeprecation>[];

/** The deprecation to announce for an operation, and its replacement. */
export interface SelectedDeprecation {
  readonly deprecation: NamedDeprecation;
  /** A document that calls the replacement, if that is a field. */
  readonly successor: string | undefined;
}

const selected = new WeakMap<NamedDeprecation, SelectedDeprecation>();

/** Returns the deprecation that an operation uses. If it uses several, returns the one with the earliest removal. */
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

/** Returns a document that calls the replacement and selects all its leaves. */
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
 * Returns the error for an operation that uses a removed element; undefined if it doesn't. Removed fields of Query and Mutation
 * aren't included: they reject their own calls, so the operation's other fields are still executed.
 *
 * @param now milliseconds since 1970
 */
export function removalFault(uses: Uses, now: number): GraphQLError | undefined {
  for (const { rootKey, mark, node } of uses) {
    const error = rootKey === undefined ? removalError(mark, now) : undefined;
    if (error !== undefined) {
      // `spec` marks the request as well-formed, so clients that accept application/json get 200.
      error.extensions.http = { status: ERROR_KINDS.GONE.status, spec: true };
      return placedAt(new GraphQLError('', { nodes: node }), error);
    }
  }
  return undefined;
}

/**
 * Returns the names of the deprecated elements that an operation has used, even if its result is shared: a field of Query or
 * Mutation once per call, anything else once.
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
