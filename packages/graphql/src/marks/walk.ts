import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Deprecated, Scoped } from '../extensions/extensions.ts';

/** A type with fields that operations can select. */
export type FieldsType = GraphQLObjectType | GraphQLInterfaceType;

/** A field with any parent type and any context. */
type Field = GraphQLField<unknown, unknown>;

/** Reads or changes the members of a schema. Each member is identified by its schema coordinate, such as "Item.size(unit:)". */
export interface Marker {
  /** Called for each type except the introspection types. */
  type?(type: GraphQLNamedType): void;
  /** Called for each field of objects and interfaces, before its arguments. */
  field?(field: Field, coordinate: string, parent: FieldsType): void;
  /** Called for each argument of a field. */
  argument?(argument: GraphQLArgument, coordinate: string, field: Field, parent: FieldsType): void;
  /** Called for each field of an input object. */
  inputField?(field: GraphQLInputField, coordinate: string, parent: GraphQLInputObjectType): void;
  /** Called for each value of an enum. */
  enumValue?(value: GraphQLEnumValue, coordinate: string, parent: GraphQLEnumType): void;
  /** Called after the last member. */
  end?(): void;
}

/** Walks a schema once for each marker, in order, so that a marker sees everything that earlier ones have added. */
export function walkSchema(schema: GraphQLSchema, markers: readonly Marker[]): void {
  // The introspection types are excluded, because all schemas share them.
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  for (const marker of markers) {
    for (const type of types) {
      marker.type?.(type);
      walkMembers(type, marker);
    }
    marker.end?.();
  }
}

function walkMembers(type: GraphQLNamedType, marker: Marker): void {
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      const coordinate = `${type.name}.${field.name}`;
      marker.field?.(field, coordinate, type);
      for (const argument of field.args) {
        marker.argument?.(argument, `${coordinate}(${argument.name}:)`, field, type);
      }
    }
  } else if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      marker.inputField?.(field, `${type.name}.${field.name}`, type);
    }
  } else if (isEnumType(type)) {
    for (const value of type.getValues()) {
      marker.enumValue?.(value, `${type.name}.${value.name}`, type);
    }
  }
}

/** A type of a schema, or a member of one, with its schema coordinate. */
interface SchemaMember {
  readonly coordinate: string;
  readonly member: {
    description?: string | null | undefined;
    readonly extensions: Readonly<Deprecated & Scoped>;
  };
}

/** Returns all elements of a schema that may be deprecated or need scopes. */
export function membersOf(schema: GraphQLSchema): SchemaMember[] {
  const members: SchemaMember[] = [];
  walkSchema(schema, [ofMembers((member) => members.push(member))]);
  return members;
}

/** Creates a marker that calls `mark` for every element that may be deprecated or need scopes. */
export function ofMembers(mark: (member: SchemaMember) => void): Marker {
  const add = (member: SchemaMember['member'], coordinate: string): void => {
    mark({ coordinate, member });
  };
  return {
    type: (type) => {
      if (!isScalarType(type)) {
        add(type, type.name);
      }
    },
    field: add,
    argument: add,
    inputField: add,
    enumValue: add,
  };
}
