import {
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type GraphQLCompositeType,
  type GraphQLField,
} from 'graphql';
import { memoizePerOperation } from './memoize-per-operation.ts';

interface SelectedField {
  readonly parent: GraphQLCompositeType;
  readonly field: GraphQLField<unknown, unknown>;
}

/** Each field that an operation selects, those in fragments included. */
export const selectedFields = memoizePerOperation(
  ({ schema, document }): readonly SelectedField[] => {
    const typeInfo = new TypeInfo(schema);
    const selected: SelectedField[] = [];
    const Field = () => {
      const [parent, field] = [typeInfo.getParentType(), typeInfo.getFieldDef()];
      if (parent && field) {
        selected.push({ parent, field });
      }
    };
    visit(document, visitWithTypeInfo(typeInfo, { Field }));
    return selected;
  },
);
