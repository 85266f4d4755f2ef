import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  isInputObjectType,
  type GraphQLSchema,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
} from 'graphql';
import { missingScopes, type Scopes } from '@store-gateway/ops/errors';
import { membersOf, type Marker, type SchemaMember, walkSchema } from '../marks/walk.ts';
import type { Scoped } from './extensions.ts';
import { isJsonObject } from '@store-gateway/ops';

/** The properties of a field that determine which scopes it needs. */
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

/** The needed scopes that a caller lacks. */
export function lackingScopes(scopes: Scopes, needed: Iterable<string>): string[] {
  return scopes === 'all' ? [] : [...needed].filter((scope) => !scopes.has(scope));
}

/**
 * Checks that a caller has the needed scopes.
 *
 * @throws FORBIDDEN, which names the missing scopes
 */
export function expectScopes(scopes: Scopes, needed: readonly string[]): void {
  const lacking = lackingScopes(scopes, needed);
  if (lacking.length > 0) {
    throw missingScopes(lacking);
  }
}

/** All elements of a schema that need scopes, besides those that each field of Query and Mutation needs. */
export function scopedMembersOf(schema: GraphQLSchema): SchemaMember[] {
  return membersOf(schema).filter(
    ({ member: { extensions } }) => (extensions.scopes ?? []).length > 0,
  );
}

/** Rejects scopes that no caller can have. @throws an error that names the element with such a scope */
export function expectKnownScopes(schema: GraphQLSchema, known: ReadonlySet<string>): void {
  for (const { coordinate, member } of scopedMembersOf(schema)) {
    const unknown = member.extensions.scopes?.find((scope) => !known.has(scope));
    if (unknown !== undefined) {
      throw new Error(
        `${coordinate} needs the scope ${unknown}, which the store doesn't define: add it to access.scopes`,
      );
    }
  }
}

/** Rejects scopes that could be bypassed, with an error that names the element and the remedy. */
export const scopeChecks: Marker = {
  type: (type) => {
    if (isUnionType(type)) {
      type.getTypes().forEach((member) => {
        expectDeclared(member, type);
      });
    } else if (isObjectType(type) || isInterfaceType(type)) {
      type.getInterfaces().forEach((each) => {
        expectDeclared(type, each);
      });
    }
  },
  argument: (argument, coordinate, field) => {
    const needed = isRequiredArgument(argument) ? scopesOfField(field) : undefined;
    expectLeftOut(coordinate, argument, needed);
  },
  inputField: (field, coordinate) => {
    expectLeftOut(coordinate, field, isRequiredInputField(field) ? [] : undefined);
  },
};

/** @throws if something would bypass a scope */
export function checkScopes(schema: GraphQLSchema): void {
  walkSchema(schema, [scopeChecks]);
}

type Type = Parameters<typeof scopesOfType>[0];

/**
 * Checks that a type's scopes are declared on its interface or union, too: a field that returns it needs only the scopes
 * declared there.
 */
function expectDeclared(type: Type, other: Type): void {
  const declared = scopesOfType(other);
  const missing = scopesOfType(type).find((scope) => !declared.includes(scope));
  if (missing !== undefined) {
    throw new Error(
      `${type.name} needs the scope ${missing}, which ${other.name} would bypass: declare it there, too`,
    );
  }
}

/**
 * Checks that callers without its scopes can omit an input.
 *
 * @param needed the scopes that the field needs anyway, if the input is required
 */
function expectLeftOut(
  of: string,
  input: GraphQLArgument | GraphQLInputField,
  needed: readonly string[] | undefined,
): void {
  const { scopes = [] } = input.extensions;
  const more = needed && scopes.find((scope) => !needed.includes(scope));
  if (more !== undefined) {
    throw new Error(
      `${of} is required and needs the scope ${more}: declare it on the whole field, or make the input optional`,
    );
  }
  if (scopes.length > 0 && needed === undefined && input.defaultValue !== undefined) {
    throw new Error(`${of} needs the scope ${scopes[0]} and therefore can't have a default`);
  }
  const preset = scopedDefault(input.type, input.defaultValue);
  if (preset !== undefined) {
    throw new Error(`${of} can't have the default ${preset.name}, which needs a scope`);
  }
}

function scopedDefault(type: GraphQLInputType, value: unknown): GraphQLInputField | undefined {
  if (Array.isArray(value)) {
    return value.map((item) => scopedDefault(type, item)).find((found) => found !== undefined);
  }
  const named = getNamedType(type);
  const fields =
    isInputObjectType(named) && isJsonObject(value) ? Object.values(named.getFields()) : [];
  for (const field of fields) {
    const member = isJsonObject(value) ? value[field.name] : undefined;
    const isScoped = member !== undefined && (field.extensions.scopes ?? []).length > 0;
    const found = isScoped ? field : scopedDefault(field.type, member);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
