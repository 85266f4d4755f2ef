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

/** Characters of a key. */
export const MAX_KEY_LENGTH = 255;

const ARGUMENT = 'idempotencyKey';

/** A mutation that may be a retry. */
export interface DeduplicatedWrite {
  /** The text of what is asked for, which is the same for a retry. */
  readonly request: () => string;
  /** The mutation's place, from 1, among those of its operation that the request's key is for. */
  readonly place: () => number;
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** What makes writes once for each key; without it, fields take no keys. */
      idempotency?: {
        /**
         * The context that deduplicates a resolver's writes, if the argument or the request has a key.
         *
         * @throws if there is a key that the field doesn't accept
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
       * For a mutation whose only writes create rows, or update or delete one by its id: it accepts a key, and may have its own
       * message for a key that was used for something else. Other mutations are rejected with a key before they have done anything.
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

/** Gives mutations that say so an idempotency key, as an argument or from their request, without code in resolvers. */
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

/** The contexts of requests, by the contexts that their mutations with a key have of their own. */
const requestContexts = new WeakMap<object, object>();

/** The request's context, given that of a mutation with a key; undefined for any other. */
export function requestContextOf(context: object): object | undefined {
  return requestContexts.get(context);
}

/** Gives the resolver of a mutation a context that deduplicates. */
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

/** Counted in the document, because a mutation before it may fail, or be rejected, at one attempt and succeed at another. */
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

/** The fields of a selection that no directive leaves out, those of fragments in their places. */
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
 * Without the key, and without what it depends on: once a change is made, a retry finds another version. Nor with what isn't given:
 * a later version may have another argument.
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

/** Whether a value of a type may have a string or a number in the same place. */
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

/** Encodes numbers as earlier versions did, whose keys may still be retried. Injective where a type has only strings or only numbers. */
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
