import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql';
import { missingScopes } from '@store-gateway/errors/missing-scopes';
import type { SchemaTypes } from '@pothos/core';

/** What a caller may do: everything, or what the scopes of these names allow. */
export type Scopes = 'all' | ReadonlySet<string>;

export interface Scoped {
  /** Those that a caller needs. */
  scopes?: readonly string[] | undefined;
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> extends Scoped {}
  interface GraphQLInterfaceTypeExtensions extends Scoped {}
  interface GraphQLUnionTypeExtensions extends Scoped {}
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> extends Scoped {}
  interface GraphQLArgumentExtensions extends Scoped {}
  interface GraphQLInputFieldExtensions extends Scoped {}
  interface GraphQLEnumValueExtensions extends Scoped {}
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** Needed by schemas that declare scopes. */
      access?: {
        readonly scopesOf: (context: Types['Context']) => Scopes;
      };
    }
    interface ObjectTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface InterfaceTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface UnionTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface FieldOptions {
      /** What callers need for this field, beside `read` for Query and `write` for Mutation. */
      scopes?: readonly string[];
    }
    interface InputFieldOptions {
      /** What callers need to give this, which can't be required or have a default then. */
      scopes?: readonly string[];
    }
  }
}

interface ScopedField {
  readonly type: GraphQLOutputType;
  readonly extensions: Scoped;
}

/** The scopes that a type as a whole needs. */
export function scopesOfType(type: GraphQLNamedType): readonly string[] {
  const isScoped = isObjectType(type) || isInterfaceType(type) || isUnionType(type);
  return (isScoped ? type.extensions.scopes : undefined) ?? [];
}

/** The scopes that a field needs: its own, and those of the type that it returns. */
export function scopesOfField({ type, extensions }: ScopedField): readonly string[] {
  return [...new Set([...(extensions.scopes ?? []), ...scopesOfType(getNamedType(type))])];
}

/** Those that a caller lacks. */
export function lackingScopes(scopes: Scopes, needed: Iterable<string>): string[] {
  return scopes === 'all' ? [] : [...needed].filter((scope) => !scopes.has(scope));
}

/** @throws FORBIDDEN that names those that a caller lacks */
export function expectScopes(scopes: Scopes, needed: readonly string[]): void {
  const lacking = lackingScopes(scopes, needed);
  if (lacking.length > 0) {
    throw missingScopes(lacking);
  }
}
