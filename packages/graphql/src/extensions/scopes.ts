import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql';
import { missingScopes, type Scopes } from '@store-gateway/ops/errors';
import type { Scoped } from './extensions.ts';

/** What of a field says which scopes it needs. */
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
