import type { OwnError } from '@store-gateway/ops/errors';
import type { Json, JsonObject } from '@store-gateway/ops';
import type { InputRule } from './input-rules.ts';
import { isObjectType, type GraphQLNamedType } from 'graphql';

/** Facts about the values of a field or an input, beyond their type. */
export interface ValueFacts {
  /** A plausible value, as JSON. */
  readonly example?: Json | undefined;
  /** The JSON Schema of a value that isn't null, instead of the type's. */
  readonly jsonSchema?: JsonObject | undefined;
}

/** How something is removed: messages, headers and counts follow from it. */
export interface Deprecation {
  /** The day of the announcement, in UTC: "2026-11-21". */
  readonly since: string;
  /** The first day, in UTC, on which it is gone. */
  readonly removal: string;
  readonly replacement: {
    /** Ends the sentence "Use … instead". */
    readonly inWords: string;
    /** Fields of Query that serve instead, the best one first: by them, headers have a link that works. */
    readonly fields?: readonly [string, ...string[]];
    /** Arguments to give these; of several, the best first. */
    readonly arguments?: readonly Readonly<Record<string, string | GivenArgument>>[];
  };
}

/** Stands for the value that an argument of the deprecated call has. */
export interface GivenArgument {
  readonly argument: string;
  /** In the place of that value where there is no call, such as in descriptions: a literal of GraphQL, or those of a list. */
  readonly example: string | readonly string[];
}

/** A deprecation, and what it is of. */
export interface NamedDeprecation extends Deprecation {
  /** As it is counted and listed: a field of Query or Mutation, a route, or a schema coordinate such as "Item.size". */
  readonly of: string;
  /** As errors of both APIs call it. */
  readonly name: string;
}

/** What may be deprecated. */
export interface Deprecated {
  deprecation?: NamedDeprecation | undefined;
  /** From Pothos: the options of the declaration. */
  pothosOptions?: DeclaredOptions | undefined;
}

interface DeclaredOptions {
  readonly deprecation?: Deprecation;
  readonly stability?: Stability;
  /** Of an enum. */
  readonly values?: Readonly<Record<string, Pick<DeclaredOptions, 'deprecation'> | undefined>>;
}

/** What callers may need scopes for. */
export interface Scoped {
  /** Those that a caller needs. */
  scopes?: readonly string[] | undefined;
}

/** What an argument or input field accepts. */
interface Restricted {
  rule?: InputRule | undefined;
  /** Of a list: it has one to so many items. */
  maxItems?: number | undefined;
}

/** `beta` may still change, `experimental` may also be removed. */
export type Stability = 'stable' | 'beta' | 'experimental';

/**
 * False for a mutation that takes no idempotency key; otherwise the message for a reused key, and that for a write whose result has
 * to show a row that isn't there anymore.
 */
export type Idempotency = false | { readonly reused: string; readonly gone: string };

/** A type's names: in the schema, and in sentences. */
export interface ResourceNames {
  /** The plural of the type's name, and the name of its list: "categories". */
  readonly plural: string;
  /** The noun for one in sentences; by default the type's name. */
  readonly noun?: string;
  /** The noun for several; by default `plural`. */
  readonly nouns?: string;
  /** The description of the tag in OpenAPI: "The categories of the shop." */
  readonly about?: string;
  /** Whether each change of its rows is noted in the audit log, in the transaction of the change. */
  readonly audit?: boolean;
}

/** The foreign keys of a model, by the name of their column: the model that each refers to. */
export type References = Readonly<Record<string, string>>;

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> extends Deprecated, Scoped {
    resource?: ResourceNames | undefined;
    references?: References | undefined;
    /** The fields of its model whose values are unique, alone or together. */
    unique?: readonly string[] | undefined;
    /** Whether other rows may refer to its rows, which can't be deleted then. */
    isReferred?: boolean | undefined;
    /** The name of its Prisma model, from Pothos' plugin for Prisma: what `references` are to. */
    pothosPrismaModel?: string | undefined;
  }
  interface GraphQLInterfaceTypeExtensions extends Scoped {}
  interface GraphQLUnionTypeExtensions extends Scoped {}
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs>
    extends ValueFacts, Deprecated, Scoped {
    stability?: Stability | undefined;
    /** The message of the NOT_FOUND that the field throws. */
    notFound?: string;
    /** The other errors that it throws. */
    throws?: readonly OwnError[] | undefined;
    idempotency?: Idempotency;
    /** Of Mutation: whether it returns the row that it has created, whose columns a caller may see without the scope `read`. */
    createsRow?: boolean | undefined;
    /** On Query: whether identical reads may share an execution. `false` at any depth prevents it. */
    shared?: boolean | undefined;
    /** What it adds to the complexity of an operation, if that isn't 1. */
    cost?: number | undefined;
    /** How many items the field lists at most, if no argument says that. The complexity of an operation counts by it. */
    listSize?: number | undefined;
    /** Of a string that changes whenever its row does: REST's entity tags begin with it. */
    isVersion?: boolean | undefined;
  }
  interface GraphQLArgumentExtensions extends ValueFacts, Deprecated, Scoped, Restricted {
    /**
     * Of an argument that says how many items its field lists at most: how many these are if no such argument is given. The
     * complexity of an operation counts by it.
     */
    defaultListSize?: number | undefined;
    /** Of a list of an enum: the lists of its values that the argument takes, beside an empty one. */
    sequences?: readonly (readonly string[])[] | undefined;
    /**
     * Of a mutation's list of strings: it does nothing but throw `preconditionFailed` unless the row's version is one of them.
     * REST has them from `If-Match`; the empty list is of tags that no version matches.
     */
    isPrecondition?: boolean | undefined;
    /** Of a precondition: whether its versions may be excluded, too, as `isExpected` has it. */
    takesExclusions?: boolean | undefined;
  }
  interface GraphQLInputObjectTypeExtensions extends Deprecated {}
  interface GraphQLInputFieldExtensions extends ValueFacts, Deprecated, Scoped, Restricted {
    /** Whether it may be left out, but not be null. */
    notNull?: boolean | undefined;
  }
  interface GraphQLScalarTypeExtensions extends ValueFacts {
    /** Ends the sentence "NAME must be …". */
    expected?: string;
  }
  interface GraphQLEnumTypeExtensions extends Deprecated {}
  interface GraphQLEnumValueExtensions extends Deprecated, Scoped {
    /** What REST calls the value. */
    restName?: string | undefined;
  }
}

/** What a field of Mutation has returned, or thrown: the ids of its rows are told to whoever notes who changed what. */
export type MutationResult = { readonly ids: readonly string[] } | { readonly error: unknown };

/** The noun for one of a type, in sentences. */
export function nounIn(type: GraphQLNamedType): string {
  const names: ResourceNames | undefined = isObjectType(type)
    ? type.extensions.resource
    : undefined;
  return names?.noun ?? type.name.toLowerCase();
}

/** "order" becomes "an order". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
