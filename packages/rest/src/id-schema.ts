import { GraphQLID, isScalarType, type GraphQLType } from 'graphql';
import { toInt64, type JsonObject } from '@store-gateway/ops';
import { int64 } from '@store-gateway/graphql';
import type { Value } from './members.ts';

/** The JSON Schema of an ID, or of the items of a list of them: that of its column, or of its rule, or a 64-bit integer's. */
function idSchema({ jsonSchema, rule }: Value['extensions']): JsonObject {
  return jsonSchema ?? rule?.jsonSchema ?? int64.jsonSchema;
}

/** Whether JSON has the ID as a string. */
export function isTextId(extensions: Value['extensions']): boolean {
  return idSchema(extensions)['type'] === 'string';
}

/** Whether JSON has values of a type as integers of any size: an ID, unless it is a text, or a scalar of 64 bits. */
export function isIntegerId(type: GraphQLType, extensions: Value['extensions']): boolean {
  return isInt64(type) || (String(type) === GraphQLID.name && !isTextId(extensions));
}

/** Longer ones may be an API key or an access token in the wrong place. */
const TEXT_ID = /^[\w-]{1,40}$/;

/** Whether a value may be an ID with these extensions, and not a secret. */
export function mayBeId(value: unknown, extensions: Value['extensions']): boolean {
  return (
    typeof value === 'string' &&
    (isTextId(extensions) ? TEXT_ID.test(value) : toInt64(value) !== undefined)
  );
}

/** Whether a scalar is an integer of 64 bits, whose text in GraphQL is an integer in REST. */
function isInt64(type: GraphQLType): boolean {
  return isScalarType(type) && type.extensions.jsonSchema?.['format'] === 'int64';
}
