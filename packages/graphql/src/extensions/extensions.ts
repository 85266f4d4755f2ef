import type { CustomError } from '@store-gateway/ops/errors';
import type { Json, JsonObject } from '@store-gateway/ops';
import type { InputRule } from './input-faults.ts';
import { isObjectType, type GraphQLNamedType } from 'graphql';

/** Facts about the values of a field or an input, in addition to their type. */
export interface ValueFacts {
  /** A plausible value, as JSON. */
  readonly example?: Json | undefined;
  /** The JSON Schema of a non-null value, which replaces the type's. */
  readonly jsonSchema?: JsonObject | undefined;
}

/** The announced removal of an element. Messages, headers and counts are derived from it. */
export interface Deprecation {
  /** The day of the announcement, in UTC: "2026-11-21". */
  readonly since: string;
  /** The first day, in UTC, on which the element is unavailable. */
  readonly removal: string;
  readonly replacement: {
    /** Completes the sentence "Use … instead". */
    readonly inWords: string;
    /** Fields of Query that replace the element, best first. The `Link` header refers to them. */
    readonly fields?: readonly [string, ...string[]];
    /** Alternative arguments for these fields, best first. */
    readonly arguments?: readonly Readonly<Record<string, string | GivenArgument>>[];
  };
}

/** A placeholder for the value of an argument in the deprecated call. */
export interface GivenArgument {
  readonly argument: string;
  /** The value where there is no call, such as in descriptions: a GraphQL literal, or the literals of a list. */
  readonly example: string | readonly string[];
}

/** A deprecation, with the name of the deprecated element. */
export interface NamedDeprecation extends Deprecation {
  /**
   * The element's name in counts and lists: a field of Query or Mutation, a route, or a schema coordinate such as "Item.size".
   */
  readonly of: string;
  /** The element's name in the errors from both APIs. */
  readonly name: string;
}

/** The extensions of an element that may be deprecated. */
export interface Deprecated {
  deprecation?: NamedDeprecation | undefined;
  /** The options that the element was declared with, from Pothos. */
  pothosOptions?: DeclaredOptions | undefined;
}

/** The declaration options that set marks. */
interface DeclaredOptions {
  readonly deprecation?: Deprecation;
  readonly stability?: Stability;
  /** The options of an enum's values. */
  readonly values?: Readonly<Record<string, Pick<DeclaredOptions, 'deprecation'> | undefined>>;
}

/** The extensions of an element that may need scopes. */
export interface Scoped {
  /** The scopes that a caller needs. */
  scopes?: readonly string[] | undefined;
}

/** The extensions that restrict the values of an argument or input field. */
interface Restricted {
  rule?: InputRule | undefined;
  /** For a list: its maximum number of items. The minimum is one. */
  maxItems?: number | undefined;
}

/** A `beta` element may still change; an `experimental` one may also be removed. */
export type Stability = 'stable' | 'beta' | 'experimental';

/**
 * False for a mutation that doesn't accept an idempotency key. Otherwise, the message for a reused key, and the message for a
 * replay whose result needs a row that no longer exists.
 */
export type Idempotency = false | { readonly reused: string; readonly gone: string };

/** A type's names in the schema and in sentences. */
export interface ResourceNames {
  /** The plural of the type's name, which is also the name of its list: "categories". */
  readonly plural: string;
  /** The noun for one object in sentences. Defaults to the type's name. */
  readonly noun?: string;
  /** The noun for several objects. Defaults to `plural`. */
  readonly nouns?: string;
  /** The description of the type's tag in OpenAPI: "The categories of the shop." */
  readonly about?: string;
  /** Whether each change to the type's rows is recorded in the audit log, in the same transaction. */
  readonly audit?: boolean;
}

/** A model's foreign keys: the model that each refers to, by column name. */
export type References = Readonly<Record<string, string>>;

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> extends Deprecated, Scoped {
    resource?: ResourceNames | undefined;
    references?: References | undefined;
    /** The fields of the type's model whose values are unique, individually or in combination. */
    unique?: readonly string[] | undefined;
    /** Whether other rows may refer to the type's rows. A row can't be deleted while one does. */
    isReferenced?: boolean | undefined;
    /**
     * The name of the type's Prisma model, from Pothos' plugin for Prisma. The values of `references` are names of Prisma models,
     * too.
     */
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
    /** The other errors that the field throws. */
    throws?: readonly CustomError[] | undefined;
    idempotency?: Idempotency;
    /**
     * For a field of Mutation: whether it returns the row that it has created. A caller may see that row's columns without the
     * scope `read`.
     */
    createsRow?: boolean | undefined;
    /** For a field of Query: whether identical reads may share an execution. `false` at any depth prevents that. */
    shared?: boolean | undefined;
    /** The field's cost in the complexity of an operation, if it isn't the default. */
    cost?: number | undefined;
    /**
     * The maximum number of items that the field lists, if no argument limits it. The complexity of an operation depends on it.
     */
    listSize?: number | undefined;
    /** Whether the field is the row version: a string that changes whenever its row does. REST's entity tags begin with it. */
    isVersion?: boolean | undefined;
  }
  interface GraphQLArgumentExtensions extends ValueFacts, Deprecated, Scoped, Restricted {
    /**
     * For an argument that limits the number of items in its field's list: the maximum if no such argument is passed. The
     * complexity of an operation depends on it.
     */
    defaultListSize?: number | undefined;
    /** For a list of enum values: the lists that the argument accepts, besides an empty one. */
    sequences?: readonly (readonly string[])[] | undefined;
    /**
     * For a mutation's list of strings: whether it is a precondition. Unless the row's version is in the list, the mutation
     * throws `preconditionFailed` and changes nothing. REST reads the list from `If-Match`; an empty list means that the tags in
     * `If-Match` match no version.
     */
    isPrecondition?: boolean | undefined;
    /** For a precondition: whether the list may also exclude versions, as in `isExpected`. */
    takesExclusions?: boolean | undefined;
  }
  interface GraphQLInputObjectTypeExtensions extends Deprecated {}
  interface GraphQLInputFieldExtensions extends ValueFacts, Deprecated, Scoped, Restricted {
    /** Whether the field may be omitted, but not null. */
    notNull?: boolean | undefined;
  }
  interface GraphQLScalarTypeExtensions extends ValueFacts {
    /** Completes the sentence "NAME must be …". */
    expected?: string;
  }
  interface GraphQLEnumTypeExtensions extends Deprecated {}
  interface GraphQLEnumValueExtensions extends Deprecated, Scoped {
    /** The value's name in REST. */
    restName?: string | undefined;
  }
}

/** What a field of Mutation has returned or thrown. The ids of its rows are logged to show who changed what. */
export type MutationResult = { readonly ids: readonly string[] } | { readonly error: unknown };

/** Returns the noun for one object of a type, for sentences. */
export function nounIn(type: GraphQLNamedType): string {
  const names: ResourceNames | undefined = isObjectType(type)
    ? type.extensions.resource
    : undefined;
  return names?.noun ?? type.name.toLowerCase();
}

/** Adds an article to a noun: "order" becomes "an order". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
