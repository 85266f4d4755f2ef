import {
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type GraphQLCompositeType,
  type FieldNode,
  type GraphQLField,
} from 'graphql';
import { memoizePerOperation } from './memoize-per-operation.ts';

export interface SelectedField {
  readonly parent: GraphQLCompositeType;
  readonly field: GraphQLField<unknown, unknown>;
  /** Of its result: the alias, or the field's name. */
  readonly key: string;
  /** Whether it is a field of Query or Mutation. */
  readonly isRoot: boolean;
}

/** Each field that an operation selects, those in fragments included. */
export const selectedFields = memoizePerOperation(
  ({ schema, document }): readonly SelectedField[] => {
    const typeInfo = new TypeInfo(schema);
    const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType()]);
    const selected: SelectedField[] = [];
    const Field = ({ alias, name }: FieldNode) => {
      const [parent, field] = [typeInfo.getParentType(), typeInfo.getFieldDef()];
      if (parent && field) {
        const key = alias?.value ?? name.value;
        selected.push({ parent, field, key, isRoot: roots.has(parent) });
      }
    };
    visit(document, visitWithTypeInfo(typeInfo, { Field }));
    return selected;
  },
);
