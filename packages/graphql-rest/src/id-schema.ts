import { isScalarType, type GraphQLType } from 'graphql';
import type { JsonObject } from '@store-gateway/exact-json/json';
import { int64 } from '@store-gateway/schema-extensions/input-rules';
import type { Value } from './members.ts';

/** The JSON Schema of an ID, or of the items of a list of them: that of its column, or of its rule, or a 64-bit integer's. */
export function idSchema({ jsonSchema, rule }: Value['extensions']): JsonObject {
  return jsonSchema ?? rule?.jsonSchema ?? int64.jsonSchema;
}

/** Whether JSON has the ID as a string. */
export function isTextId(extensions: Value['extensions']): boolean {
  return idSchema(extensions)['type'] === 'string';
}

/** Whether a scalar is an integer of 64 bits, whose text in GraphQL is an integer in REST. */
export function isInt64(type: GraphQLType): boolean {
  return isScalarType(type) && type.extensions.jsonSchema?.['format'] === 'int64';
}
