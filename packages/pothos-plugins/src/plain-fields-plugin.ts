import SchemaBuilder, { BasePlugin, type SchemaTypes } from '@pothos/core';
import { isObjectType, type GraphQLSchema } from 'graphql';

export const PLAIN_FIELDS = 'plainFields';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      [PLAIN_FIELDS]: PlainFieldsPlugin<Types>;
    }
  }
}

/**
 * Makes fields that are exposed under a row's own names plain properties, which executors read without
 * calling anything. The Prisma plugin gives each a resolver, which loads the column if a row lacks it: here
 * none does, as rows are read whole.
 */
class PlainFieldsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    for (const type of Object.values(schema.getTypeMap())) {
      const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
      for (const field of fields) {
        if (field.extensions['pothosExposedField'] === field.name) {
          delete field.resolve;
        }
      }
    }
    return schema;
  }
}

SchemaBuilder.registerPlugin(PLAIN_FIELDS, PlainFieldsPlugin);
