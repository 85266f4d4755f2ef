import {
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { scopesOfField, scopesOfType } from '@store-gateway/graphql';

type Field = GraphQLField<unknown, unknown>;

/** The columns that a model's relation refers to another row by. */
export type ForeignKeyOf = (model: string, relation: string) => readonly string[];

/** Tells the scopes that a caller needs to learn a column of a model: of the fields that show it, those of the one with the fewest. */
export type ScopesOfColumn = (model: string, column: string) => readonly string[];

export function createScopesOfColumn(
  schema: GraphQLSchema,
  foreignKeyOf: ForeignKeyOf,
): ScopesOfColumn {
  const exposed = new Map<string, readonly string[]>();
  const hidden = new Map<string, readonly string[]>();
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    const { pothosPrismaModel: model } = type.extensions;
    for (const field of model === undefined ? [] : Object.values(type.getFields())) {
      const scopes = [...new Set([...scopesOfType(type), ...scopesOfField(field)])];
      const column = field.extensions.pothosExposedField;
      const [known, columns] =
        typeof column === 'string'
          ? [exposed, [column]]
          : [hidden, scopes.length > 0 ? columnsIn(type, field, foreignKeyOf) : []];
      for (const key of columns.map((each) => `${model} ${each}`)) {
        known.set(key, fewer(known.get(key), scopes));
      }
    }
  }
  return (model, column) => {
    const key = `${model} ${column}`;
    return exposed.get(key) ?? hidden.get(key) ?? [];
  };
}

/** The columns that a field with scopes is made of; of a relation to one, its foreign key. */
function columnsIn(
  { extensions: { pothosPrismaModel: model = '' } }: GraphQLObjectType,
  { extensions }: Field,
  foreignKeyOf: ForeignKeyOf,
): readonly string[] {
  const { pothosPrismaRelationField: relation, pothosPrismaSelect: selected } = extensions;
  if (relation !== undefined) {
    return foreignKeyOf(model, relation.name);
  }
  return extensions['isVersion'] !== true && typeof selected === 'object'
    ? Object.keys(selected)
    : [];
}

function fewer(some: readonly string[] | undefined, others: readonly string[]): readonly string[] {
  return some === undefined || others.length < some.length ? others : some;
}
