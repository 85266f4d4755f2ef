import type { DataField, DataModel } from '../src/visible/rules.ts';

/** A column of a text that is not unique, unless said otherwise. */
export function columnField(name: string, others: Partial<DataField> = {}): DataField {
  return {
    name,
    kind: 'scalar',
    type: 'String',
    isList: false,
    isId: false,
    isUnique: false,
    hasDefaultValue: false,
    ...others,
  };
}

/** The model of authors, as far as rules are about it. */
export function authorModel(...others: readonly DataField[]): DataModel {
  return {
    fields: [
      columnField('id', { type: 'Int', isId: true, hasDefaultValue: true }),
      columnField('name'),
      ...others,
    ],
    primaryKey: null,
    uniqueIndexes: [],
  };
}
