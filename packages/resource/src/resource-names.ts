import type { ObjectRef, SchemaTypes } from '@pothos/core';

/** The names of a type, defaults included, and the scopes that it needs. @throws if it lacks the option `resource` */
export function namesIn<Types extends SchemaTypes>(
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
  type: ObjectRef<Types, unknown>,
) {
  const { name, pothosOptions } = builder.configStore.getTypeConfig(type, 'Object');
  if (pothosOptions.resource === undefined) {
    throw new Error(`${name} needs the option resource: { plural: … }`);
  }
  const { plural, noun = name.toLowerCase(), nouns = plural } = pothosOptions.resource;
  return { name, plural, noun, nouns, scopes: pothosOptions.scopes ?? [] };
}
