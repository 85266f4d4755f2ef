import type { ObjectRef, SchemaTypes } from '@pothos/core';
import type { Json, JsonObject } from '@gateway/exact-json/json';

/** How a type is called: in names that are made of it, and in sentences. */
export interface ResourceNames {
  /** The plural of the type's name, as its list is called: "categories". */
  readonly plural: string;
  /** What one is called in sentences; by default the type's name. */
  readonly noun?: string;
  /** And several; by default `plural`. */
  readonly nouns?: string;
  /** What they are, for the readers of a contract: "The categories of the shop." */
  readonly about?: string;
}

/** What a field or an input says of its values beyond their type. */
export interface ValueFacts {
  /** A plausible value, as JSON has it. */
  readonly example?: Json | undefined;
  /** What JSON Schema can say of a value that isn't null, instead of what follows from its type. */
  readonly jsonSchema?: JsonObject | undefined;
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    resource?: ResourceNames | undefined;
  }
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> extends ValueFacts {
    /** The message of the NOT_FOUND that the field throws if what it is asked for isn't there. */
    notFound?: string;
    /**
     * Set on a field of Query that tells every caller the same and notes nothing of who asks: those who ask for the same at
     * a time may be answered by one reading.
     */
    sameForEveryone?: boolean;
  }
  interface GraphQLScalarTypeExtensions extends ValueFacts {
    /** Ends the sentence "NAME must be …". */
    expected?: string;
  }
  interface GraphQLArgumentExtensions extends ValueFacts {}
  interface GraphQLInputFieldExtensions extends ValueFacts {}
}

/**
 * The names of a type that has been built, with those left out that follow from the others.
 *
 * @throws if it has not the option `resource`
 */
export function namesIn<Types extends SchemaTypes>(
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
  type: ObjectRef<Types, unknown>,
) {
  const { name, pothosOptions } = builder.configStore.getTypeConfig(type, 'Object');
  if (pothosOptions.resource === undefined) {
    throw new Error(`${name} needs the option resource: { plural: … }`);
  }
  const { plural, noun = name.toLowerCase(), nouns = plural } = pothosOptions.resource;
  return { name, plural, noun, nouns };
}

/** "order" becomes "an order". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
