import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import type { Scoped } from './extensions.ts';

/** Something that may need scopes, by its schema coordinate. */
interface ScopedMember {
  readonly coordinate: string;
  readonly member: {
    description?: string | null | undefined;
    readonly extensions: Readonly<Scoped>;
  };
}

/** All of a schema that needs scopes, but for those that each field of Query and Mutation needs. */
export function scopedMembersOf(schema: GraphQLSchema): ScopedMember[] {
  return Object.values(schema.getTypeMap())
    .flatMap((type) => Array.from(membersOf(type)))
    .filter(({ member: { extensions } }) => (extensions.scopes ?? []).length > 0);
}

function* membersOf(type: GraphQLNamedType): Iterable<ScopedMember> {
  const { name } = type;
  if (isObjectType(type) || isInterfaceType(type)) {
    yield { coordinate: name, member: type };
    for (const field of Object.values(type.getFields())) {
      yield { coordinate: `${name}.${field.name}`, member: field };
      for (const argument of field.args) {
        yield { coordinate: `${name}.${field.name}(${argument.name}:)`, member: argument };
      }
    }
  } else if (isUnionType(type)) {
    yield { coordinate: name, member: type };
  } else if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      yield { coordinate: `${name}.${field.name}`, member: field };
    }
  } else if (isEnumType(type)) {
    for (const value of type.getValues()) {
      yield { coordinate: `${name}.${value.name}`, member: value };
    }
  }
}

/** Refuses scopes that no caller can have. @throws naming what needs such a one */
export function expectKnownScopes(schema: GraphQLSchema, known: ReadonlySet<string>): void {
  for (const { coordinate, member } of scopedMembersOf(schema)) {
    const unknown = member.extensions.scopes?.find((scope) => !known.has(scope));
    if (unknown !== undefined) {
      throw new Error(
        `${coordinate} needs the scope ${unknown}, which the store doesn't have: add it to access.scopes`,
      );
    }
  }
}
