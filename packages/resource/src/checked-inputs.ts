import type { PothosInputFieldConfig, PothosOutputFieldConfig, SchemaTypes } from '@pothos/core';
import { argumentFaults, inputError, type InputRule } from '@store-gateway/graphql';
import type { Resolver } from './builder-prototype.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface InputFieldOptions {
      /** Checked before the resolver runs, of a list for each item; other values are BAD_USER_INPUT. */
      rule?: InputRule;
    }
  }
}

/**
 * Of scalars that can't do without. PostgreSQL refuses text with a NUL, and UTF-8 loses an unpaired surrogate; a column rounds
 * decimals with more digits than it has.
 */
const NEEDED_RULES: Readonly<Record<string, string>> = {
  String: 'text(1, 255)',
  Decimal: 'decimal(65, 30)',
};

/** The rule of an argument or input field. @throws if it lacks one that it needs */
export function ruleOf<Types extends SchemaTypes>(
  { name, type, pothosOptions: { rule } }: PothosInputFieldConfig<Types>,
  { configStore }: PothosSchemaTypes.SchemaBuilder<Types>,
): InputRule | undefined {
  const item = itemType(type);
  const example =
    item.kind === 'Scalar' ? NEEDED_RULES[configStore.getTypeConfig(item.ref).name] : undefined;
  if (example !== undefined && rule === undefined) {
    throw new Error(`${name} needs the option rule, such as ${example}`);
  }
  return rule;
}

/** Checks the rules of a field's arguments before its resolver runs. */
export function withinRules<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  config: PothosOutputFieldConfig<Types>,
): Resolver<Types> {
  if (Object.keys(config.args).length === 0) {
    return resolver;
  }
  return function resolveWithinRules(root, args, context, info) {
    const { args: inputs } = info.parentType.getFields()[info.fieldName] ?? { args: [] };
    const faults = argumentFaults(inputs, args);
    if (faults.length > 0) {
      throw inputError(faults);
    }
    return resolver(root, args, context, info);
  };
}

/** The type of a list's items; any other type as it is. */
function itemType<Types extends SchemaTypes>(
  type: PothosInputFieldConfig<Types>['type'],
): PothosInputFieldConfig<Types>['type'] {
  return type.kind === 'List' ? itemType(type.type) : type;
}
