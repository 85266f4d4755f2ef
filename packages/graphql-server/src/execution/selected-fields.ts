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
}

/** Each field that an operation selects, those in fragments included. */
export const selectedFields = memoizePerOperation(
  ({ schema, document }): readonly SelectedField[] => {
    const typeInfo = new TypeInfo(schema);
    const selected: SelectedField[] = [];
    const Field = ({ alias, name }: FieldNode) => {
      const [parent, field] = [typeInfo.getParentType(), typeInfo.getFieldDef()];
      if (parent && field) {
        selected.push({ parent, field, key: alias?.value ?? name.value });
      }
    };
    visit(document, visitWithTypeInfo(typeInfo, { Field }));
    return selected;
  },
);
