import type { ObjectRef, SchemaTypes } from '@pothos/core';
import { isObjectType, type GraphQLNamedType } from 'graphql';
import type { OwnError } from '@store-gateway/errors/coded-error';
import type { Json, JsonObject } from '@store-gateway/exact-json/json';

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
  /** Whether each change of its rows is noted in `audit_log`, in the transaction of the change. */
  readonly audit?: boolean;
}

/** Facts about the values of a field or an input, beyond their type. */
export interface ValueFacts {
  /** A plausible value, as JSON. */
  readonly example?: Json | undefined;
  /** The JSON Schema of a value that isn't null, instead of the type's. */
  readonly jsonSchema?: JsonObject | undefined;
}

/** The foreign keys of a model, by the name of their column: the model that each refers to. */
export type References = Readonly<Record<string, string>>;

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    resource?: ResourceNames | undefined;
    references?: References | undefined;
    /** The fields of its model whose values are unique, alone or together. */
    unique?: readonly string[] | undefined;
    /** The name of the Prisma model, from the Prisma plugin. */
    pothosPrismaModel?: string | undefined;
  }
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> extends ValueFacts {
    /** The message of the NOT_FOUND that the field throws. */
    notFound?: string;
    shared?: boolean | undefined;
    /** What it adds to the complexity of an operation, if that isn't 1. */
    cost?: number | undefined;
    throws?: readonly OwnError[] | undefined;
  }
  interface GraphQLScalarTypeExtensions extends ValueFacts {
    /** Ends the sentence "NAME must be …". */
    expected?: string;
  }
  interface GraphQLArgumentExtensions extends ValueFacts {
    /**
     * Of an argument that says how many items its field lists at most: how many these are if no such argument is given. The
     * complexity of an operation counts by it.
     */
    defaultListSize?: number | undefined;
  }
  interface GraphQLInputFieldExtensions extends ValueFacts {}
}

/** The names of a type, defaults included, and the scopes that it needs. @throws if it lacks the option `resource` */
export function namesIn<Types extends SchemaTypes>(
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
  type: ObjectRef<Types, unknown>,
) {
  const { name, pothosOptions } = builder.configStore.getTypeConfig(type, 'Object');
  if (pothosOptions.resource === undefined) {
    throw new Error(`${name} needs the option resource: { plural: … }`);
  }
  const { plural, noun = name.toLowerCase(), nouns = plural } = pothosOptions.resource;
  return { name, plural, noun, nouns, scopes: pothosOptions.scopes ?? [] };
}

/** The noun for one of a type, in sentences. */
export function nounIn(type: GraphQLNamedType): string {
  const noun = isObjectType(type) ? type.extensions.resource?.noun : undefined;
  return noun ?? type.name.toLowerCase();
}

/** "order" becomes "an order". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
