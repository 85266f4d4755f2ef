import type { SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';
import type { References } from '@store-gateway/graphql';

/** The fields of a model of Prisma that are unique, alone or together, but its id. */
export function uniqueFieldsOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): string[] {
  const { fields, uniqueIndexes } = getModel(model, builder);
  return [
    ...fields.filter(({ isUnique }) => isUnique).map(({ name }) => name),
    ...uniqueIndexes.flatMap((index) => index.fields),
  ];
}

/** Whether rows of other models, or other rows, may refer to a row of a model of Prisma. */
export function isReferred<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): boolean {
  return getModel(model, builder).fields.some(
    ({ kind, relationFromFields = [] }) => kind === 'object' && relationFromFields.length === 0,
  );
}

/** The columns that a relation of a model of Prisma refers to another row by. */
export function foreignKeyOf<Types extends SchemaTypes>(
  model: string,
  relation: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): readonly string[] {
  const field = getModel(model, builder).fields.find(({ name }) => name === relation);
  return field?.relationFromFields ?? [];
}

/** The foreign keys of a model of Prisma that are a single column. */
export function referencesOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): References {
  return Object.fromEntries(
    getModel(model, builder).fields.flatMap(({ type, relationFromFields = [] }) => {
      const [column, ...others] = relationFromFields;
      return column === undefined || others.length > 0 ? [] : [[column, type]];
    }),
  );
}
