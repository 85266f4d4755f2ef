import type { DataField } from '../src/visible/rules.ts';

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
