import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
} from 'graphql';
import type { SchemaTypes } from '@pothos/core';
import {
  deprecationOfType,
  deprecationReason,
  deprecationSentences,
  type Marker,
  named,
  replacementCalls,
  type Deprecation,
  type NamedDeprecation,
  type Stability,
  firstRemoved,
} from '@store-gateway/graphql';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** The clock that determines whether a removal date has passed. Defaults to the process's clock. */
      lifecycle?: {
        /** Milliseconds since 1970. */
        readonly now: (context: Types['Context']) => number;
      };
    }
    interface FieldOptions {
      /**
       * Announces the field's removal. From that day on, the field itself fails with GONE if it belongs to Query or Mutation.
       * Otherwise, every operation that selects it fails with GONE.
       */
      deprecation?: Deprecation;
      /** Defaults to `stable`. */
      stability?: Stability;
    }
    interface InputFieldOptions {
      /** Announces the removal of an optional input. From that day on, operations that pass it fail with GONE. */
      deprecation?: Deprecation;
    }
    interface EnumValueConfig<Types extends SchemaTypes> {
      /** Announces the value's removal from inputs. From that day on, operations that pass it fail with GONE. */
      deprecation?: Deprecation;
    }
    interface EnumTypeOptions {
      /** Deprecates all fields and inputs of this type. */
      deprecation?: Deprecation;
    }
    interface InputObjectTypeOptions {
      /** Deprecates all inputs of this type. */
      deprecation?: Deprecation;
    }
    interface ObjectTypeOptions {
      /** Deprecates all fields of this type. */
      deprecation?: Deprecation;
    }
  }
}

/**
 * Deprecates enum values, and adds the deprecations of types to the types' descriptions, because GraphQL can't deprecate types.
 */
export const deprecatedTypes: Marker = {
  type: (type) => {
    const own =
      isObjectType(type) || isInputObjectType(type) || isEnumType(type)
        ? type.extensions.pothosOptions?.deprecation
        : undefined;
    if (own !== undefined) {
      const deprecation = named(own, type.name, type.name);
      const sentences = deprecationSentences(deprecation, replacementCalls(deprecation));
      type.description = `${type.description ?? ''}\n\n${sentences}`.trim();
      type.extensions = { ...type.extensions, deprecation };
    }
  },
  enumValue: (value, coordinate, { extensions }) => {
    // An enum that was defined by an object may lack options for some or all of its values.
    const own = extensions.pothosOptions?.values?.[value.name]?.deprecation;
    deprecate(value, [own && named(own, coordinate, value.name)]);
  },
};

/**
 * Deprecates fields and inputs according to their own options or those of their types, and adds stability to field descriptions.
 */
export function deprecatedMembers(schema: GraphQLSchema): Marker {
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType()]);
  return {
    field: (field, coordinate, type) => {
      const { deprecation: own, stability = 'stable' } = field.extensions.pothosOptions ?? {};
      const isRoot = roots.has(type);
      const of = isRoot ? field.name : coordinate;
      deprecate(field, [
        own && named(own, of, isRoot ? undefined : field.name),
        deprecationOfType(getNamedType(field.type)),
      ]);
      field.extensions = { ...field.extensions, stability };
      if (stability !== 'stable') {
        field.description = `${field.description ?? ''}\n\nStability: ${stability}.`.trim();
      }
    },
    argument: deprecateInput,
    inputField: deprecateInput,
  };
}

/** @throws if a required input is itself deprecated */
function deprecateInput(input: GraphQLArgument | GraphQLInputField, coordinate: string): void {
  const own = input.extensions.pothosOptions?.deprecation;
  const isRequired = isNonNullType(input.type) && input.defaultValue === undefined;
  if (own && isRequired) {
    throw new Error(
      `${coordinate} can't be deprecated, because it is required: make it optional or give it a default first`,
    );
  }
  const ofType = isRequired ? undefined : deprecationOfType(getNamedType(input.type));
  deprecate(input, [own && named(own, coordinate, input.name), ofType]);
}

interface Deprecated {
  deprecationReason?: string | null | undefined;
  extensions: { readonly deprecation?: NamedDeprecation | undefined };
}

/**
 * Sets a member's deprecation to the one with the earliest removal, and sets the reason that printed schemas and introspection
 * show.
 */
function deprecate(member: Deprecated, some: readonly (NamedDeprecation | undefined)[]): void {
  const deprecation = firstRemoved(some.filter((each) => each !== undefined));
  if (deprecation !== undefined) {
    member.deprecationReason = deprecationReason(deprecation, replacementCalls(deprecation));
    member.extensions = { ...member.extensions, deprecation };
  }
}
