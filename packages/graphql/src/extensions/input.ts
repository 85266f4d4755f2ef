import {
  getNullableType,
  GRAPHQL_MAX_INT,
  GRAPHQL_MIN_INT,
  isEnumType,
  isInputObjectType,
  isScalarType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
} from 'graphql';
import type { Deprecated, Restricted } from './extensions.ts';

/** An argument, an input field, or a variable in the place of one. */
export type Input = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type' | 'defaultValue'> & {
  readonly description?: string | null | undefined;
  readonly extensions: Readonly<Deprecated & Restricted> & {
    readonly isPrecondition?: boolean | undefined;
    /** Of a precondition: whether its versions may be excluded, too, as `isExpected` has it. */
    readonly takesExclusions?: boolean | undefined;
    readonly notNull?: boolean | undefined;
    readonly sequences?: readonly (readonly string[])[] | undefined;
  };
};

/** Ends the description of an input that may be left out, but not be null: GraphQL's types can't say it. */
export const NOT_NULL = ' May be left out, but not null.';

/** What an input accepts, in words that end "NAME must be …". */
export function expectationOf({ extensions, type }: Input): string {
  const { rule, sequences } = extensions;
  return sequences === undefined
    ? (rule?.expected ?? typeInWords(getNullableType(type)))
    : inWords(sequences);
}

/** Lists of names, in a sentence. */
export function inWords(sequences: readonly (readonly string[])[]): string {
  return sequences.map((names) => `[${names.join(', ')}]`).join(' or ');
}

const BUILT_IN_SCALARS: Readonly<Record<string, string>> = {
  ID: 'a string or an integer',
  String: 'a string',
  Boolean: 'true or false',
  Float: 'a number',
  Int: `an integer between ${GRAPHQL_MIN_INT} and ${GRAPHQL_MAX_INT}`,
};

/** What a type accepts, in words for REST's clients, too. */
function typeInWords(type: GraphQLInputType): string {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    return `one of ${names.join(', ')}`;
  }
  if (isInputObjectType(type)) {
    return `an object with ${Object.keys(type.getFields()).join(', ')}`;
  }
  const expected = isScalarType(type)
    ? (type.extensions.expected ?? BUILT_IN_SCALARS[type.name])
    : undefined;
  return expected ?? `a value of type ${String(type)}`;
}
