import type { PothosInputFieldConfig, PothosOutputFieldConfig, SchemaTypes } from '@pothos/core';
import {
  getDirectiveValues,
  getNamedType,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isInputObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  valueFromASTUntyped,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLType,
  type SelectionSetNode,
} from 'graphql';
import { type Idempotency, text } from '@store-gateway/graphql';
import type { Resolver } from './builder.ts';
import { exactly } from './row-version.ts';

/** Maximum length of an idempotency key. */
export const MAX_KEY_LENGTH = 255;

const ARGUMENT = 'idempotencyKey';

/** A mutation that may be a retry. */
export interface DeduplicatedWrite {
  /** Returns the mutation's name and inputs as text, which is the same for a retry. */
  readonly request: () => string;
  /** Returns the mutation's position, starting from 1, among the operation's mutations that use the request's key. */
  readonly place: () => number;
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** Makes writes take effect once per key. Without this option, fields don't accept keys. */
      idempotency?: {
        /**
         * Returns a context that deduplicates a resolver's writes if the argument or the request contains a key; otherwise,
         * returns the given context.
         *
         * @throws if the field doesn't accept the key
         */
        readonly deduplicating: (
          context: Types['Context'],
          argument: string | undefined,
          idempotency: Idempotency,
          write: DeduplicatedWrite,
        ) => Types['Context'];
      };
    }
    interface FieldOptions {
      /**
       * Whether a mutation accepts an idempotency key. `reused` replaces the error message for a key that was already used for a
       * different request. A mutation may accept keys if its only writes create rows, or update or delete one row by its id.
       * Mutations that don't accept keys reject a key before they do anything.
       */
      idempotency?: boolean | { readonly reused: string };
    }
  }
}

const DEFAULT = {
  reused: 'This Idempotency-Key was already used for a different request',
  gone: 'The original request succeeded, but something that it refers to has been removed since',
};

function idempotencyOf({
  idempotency = false,
}: Pick<PothosSchemaTypes.FieldOptions, 'idempotency'>): Idempotency {
  return typeof idempotency === 'object' ? { ...DEFAULT, ...idempotency } : idempotency && DEFAULT;
}

/** Adds the argument `idempotencyKey` to a mutation with the option `idempotency`. */
export function withIdempotency<Types extends SchemaTypes>(
  config: PothosOutputFieldConfig<Types>,
  option: PothosSchemaTypes.SchemaBuilderOptions<Types>['idempotency'],
): PothosOutputFieldConfig<Types> {
  if (config.kind !== 'Mutation') {
    return config;
  }
  const idempotency = option !== undefined && idempotencyOf(config.pothosOptions);
  return {
    ...config,
    extensions: { ...config.extensions, idempotency },
    ...(idempotency !== false && { args: { ...config.args, [ARGUMENT]: argumentOf(config) } }),
  };
}

/** Maps the separate context of each mutation with a key to the request's context. */
const requestContexts = new WeakMap<object, object>();

/** Returns the request's context for the separate context of a mutation with a key; undefined for any other context. */
export function requestContextOf(context: object): object | undefined {
  return requestContexts.get(context);
}

/** Wraps a mutation's resolver, so that its context deduplicates writes if there is a key. */
export function deduplicated<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  { kind, pothosOptions }: PothosOutputFieldConfig<Types>,
  option: PothosSchemaTypes.SchemaBuilderOptions<Types>['idempotency'],
): Resolver<Types> {
  if (kind !== 'Mutation' || option === undefined) {
    return resolver;
  }
  const { deduplicating } = option;
  const idempotency = idempotencyOf(pothosOptions);
  return function resolveOnce(root, args, context, info) {
    const argument: unknown = Reflect.get(args, ARGUMENT);
    const key = typeof argument === 'string' ? argument : undefined;
    const write = { request: () => requestOf(args, info), place: () => placeOf(info) };
    const own = deduplicating(context, key, idempotency, write);
    if (own === context) {
      return resolver(root, args, context, info);
    }
    requestContexts.set(own, context);
    return resolver(root, args, own, info);
  };
}

/**
 * Returns the mutation's position in the document. Executed mutations aren't counted, because an earlier mutation may fail in one
 * attempt and succeed in the next.
 */
function placeOf(info: GraphQLResolveInfo): number {
  const { operation, parentType, path, variableValues } = info;
  const before = new Set<string>();
  for (const { name, alias, arguments: given = [] } of includedIn(operation.selectionSet, info)) {
    const key = alias?.value ?? name.value;
    if (key === path.key) {
      break;
    }
    const argument = given.find((each) => each.name.value === ARGUMENT)?.value;
    const hasOwnKey = argument && valueFromASTUntyped(argument, variableValues) != null;
    if (!hasOwnKey && Object.hasOwn(parentType.getFields(), name.value)) {
      before.add(key);
    }
  }
  return before.size + 1;
}

/** Returns the fields of a selection that no directive excludes, with fragments replaced by their fields. */
function* includedIn(
  { selections }: SelectionSetNode,
  info: Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>,
): Generator<FieldNode> {
  for (const selection of selections) {
    const isSkipped = getDirectiveValues(GraphQLSkipDirective, selection, info.variableValues)?.[
      'if'
    ];
    const included = getDirectiveValues(GraphQLIncludeDirective, selection, info.variableValues);
    if (isSkipped === true || included?.['if'] === false) {
      continue;
    }
    if (selection.kind === Kind.FIELD) {
      yield selection;
      continue;
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : info.fragments[selection.name.value];
    if (fragment !== undefined) {
      yield* includedIn(fragment.selectionSet, info);
    }
  }
}

/**
 * Returns a mutation's name and inputs as text. Preconditions are left out, because a retry after the change finds a different
 * version. Omitted inputs are left out, too, because a later version of the schema may have more arguments.
 */
function requestOf(args: object, { parentType, fieldName }: GraphQLResolveInfo): string {
  const inputs = (parentType.getFields()[fieldName]?.args ?? []).filter(
    ({ name, extensions }) => name !== ARGUMENT && extensions.isPrecondition !== true,
  );
  const values = inputs.flatMap(({ name }): unknown[] => {
    const value: unknown = Reflect.get(args, name);
    return value == null ? [] : [[name, value]];
  });
  const write = inputs.some(({ type }) => takesAnyJson(type)) ? exactly : withNumbersAsTexts;
  return JSON.stringify([fieldName, ...values], write);
}

/** Whether a type allows both a string and a number in the same place. */
function takesAnyJson(type: GraphQLType, seen = new Set<GraphQLNamedType>()): boolean {
  const named = getNamedType(type);
  if (isInputObjectType(named) && !seen.has(named)) {
    seen.add(named);
    return Object.values(named.getFields()).some((field) => takesAnyJson(field.type, seen));
  }
  return (
    isScalarType(named) &&
    !isSpecifiedScalarType(named) &&
    named.extensions.jsonSchema?.['type'] === undefined
  );
}

/**
 * A JSON replacer that writes numbers as text, as earlier releases did, because clients may still retry with keys from before an
 * upgrade. The result is unambiguous unless a type allows both strings and numbers.
 */
function withNumbersAsTexts(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : value;
}

function argumentOf<Types extends SchemaTypes>({
  name,
  parentType,
}: PothosOutputFieldConfig<Types>): PothosInputFieldConfig<Types> {
  const description =
    'Makes retries safe: a mutation that is sent several times with this key and the same input within a day takes effect once, and its response is repeated. The Idempotency-Key header does the same.';
  return {
    kind: 'Arg',
    graphqlKind: 'Arg',
    name: ARGUMENT,
    parentField: name,
    parentType,
    type: { kind: 'Scalar', ref: 'String', required: false },
    description,
    pothosOptions: { type: 'String', description, rule: text(1, MAX_KEY_LENGTH) },
  };
}
