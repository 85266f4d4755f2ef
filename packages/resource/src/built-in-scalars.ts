import {
  GraphQLFloat,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';

/** ID with bigint support, as in graphql-js 17, so that no 64-bit id passes through a double. */
const ID = new GraphQLScalarType({
  ...GraphQLID.toConfig(),
  parseValue: (value) => GraphQLID.parseValue(typeof value === 'bigint' ? String(value) : value),
  serialize: (value) => (typeof value === 'bigint' ? String(value) : GraphQLID.serialize(value)),
});

/** Float with bigint support: JSON integers beyond 2^53, such as 1e17, are parsed as bigints. */
const Float = new GraphQLScalarType({
  ...GraphQLFloat.toConfig(),
  parseValue: (value) => GraphQLFloat.parseValue(typeof value === 'bigint' ? Number(value) : value),
});

const EXACT = new Map<GraphQLNamedType, GraphQLScalarType>([
  [GraphQLID, ID],
  [GraphQLFloat, Float],
]);

/** Replaces graphql-js's ID and Float in a schema, in place. Pothos always uses graphql-js's own instances. */
export function useExactScalars(schema: GraphQLSchema): void {
  const types = schema.getTypeMap();
  for (const type of Object.values(types)) {
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        field.type = exactOutput(field.type);
        field.args.forEach(useExact);
      }
    } else if (isInputObjectType(type)) {
      Object.values(type.getFields()).forEach(useExact);
    }
  }
  schema.getDirectives().forEach(({ args }) => {
    args.forEach(useExact);
  });
  for (const [own, exact] of EXACT) {
    if (types[own.name] === own) {
      types[own.name] = exact;
    }
  }
}

function useExact(input: { type: GraphQLInputType }): void {
  input.type = exactInput(input.type);
}

function exactInput(type: GraphQLInputType): GraphQLInputType {
  if (isNonNullType(type)) {
    return new GraphQLNonNull(exactInput(type.ofType));
  }
  return isListType(type) ? new GraphQLList(exactInput(type.ofType)) : (EXACT.get(type) ?? type);
}

function exactOutput(type: GraphQLOutputType): GraphQLOutputType {
  if (isNonNullType(type)) {
    return new GraphQLNonNull(exactOutput(type.ofType));
  }
  return isListType(type) ? new GraphQLList(exactOutput(type.ofType)) : (EXACT.get(type) ?? type);
}
