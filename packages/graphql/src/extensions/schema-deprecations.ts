import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { firstRemoved, type NamedDeprecation } from './deprecation.ts';
import type { Deprecated } from './extensions.ts';

/** Each deprecation of a schema, once. */
export function deprecationsIn(schema: GraphQLSchema): NamedDeprecation[] {
  const all = Object.values(schema.getTypeMap())
    .flatMap((type) => [
      deprecationOfType(type),
      membersOf(type).map(({ extensions }) => extensions.deprecation),
    ])
    .flat()
    .filter((each) => each !== undefined);
  // What is of a deprecated type has the same.
  return [...new Map(all.map((each) => [each.of, each])).values()];
}

interface Member {
  readonly extensions: Readonly<Deprecated>;
}

/** The fields of a type, with their arguments, or its values. */
function membersOf(type: GraphQLNamedType): readonly Member[] {
  if (isObjectType(type) || isInterfaceType(type)) {
    const fields = Object.values(type.getFields());
    return [...fields, ...fields.flatMap(({ args }) => args)];
  }
  if (isInputObjectType(type)) {
    return Object.values(type.getFields());
  }
  return isEnumType(type) ? type.getValues() : [];
}

/** That of an object, an input or an enum as a whole. */
export function deprecationOfType(type: GraphQLNamedType): NamedDeprecation | undefined {
  return isObjectType(type) || isInputObjectType(type) || isEnumType(type)
    ? type.extensions.deprecation
    : undefined;
}

/**
 * GraphQL deprecates nothing that is required, so an operation could not do without.
 *
 * @throws if an input of a deprecated type is required, and that by what stays for longer
 */
export function expectOptionalUses(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields()).filter(isRequiredInputField)) {
        const required = { type: field.type, of: `${type.name}.${field.name}` };
        expectNoLonger(required, type.name, deprecationOfType(type));
      }
    } else if (isObjectType(type) || isInterfaceType(type)) {
      for (const { name, args, extensions } of Object.values(type.getFields())) {
        const field = `${type.name}.${name}`;
        for (const argument of args.filter(isRequiredArgument)) {
          const required = { type: argument.type, of: `${field}(${argument.name}:)` };
          expectNoLonger(required, field, extensions.deprecation);
        }
      }
    }
  }
}

function expectNoLonger(
  required: { readonly type: GraphQLInputType; readonly of: string },
  owner: string,
  ofOwner: NamedDeprecation | undefined,
): void {
  const ofType = deprecationOfType(getNamedType(required.type));
  if (ofType !== undefined && firstRemoved([ofOwner ?? ofType, ofType]) !== ofOwner) {
    throw new Error(
      `${ofType.of} can't be deprecated while ${required.of} requires it: make that optional, or deprecate ${owner} as well`,
    );
  }
}
