import SchemaBuilder, {
  BasePlugin,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { argumentFaults, inputError } from './input-faults.ts';
import type { InputRule } from './input-rules.ts';

export const INPUT_RULES = 'inputRules';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      [INPUT_RULES]: InputRulesPlugin<Types>;
    }
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

/** Gives arguments and input fields the option `rule`, which text and decimals must have, and checks it before resolvers run. */
class InputRulesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(
    config: PothosInputFieldConfig<Types>,
  ): PothosInputFieldConfig<Types> {
    const { name, pothosOptions } = config;
    const { rule } = pothosOptions;
    const type = itemType(config.type);
    const example =
      type.kind === 'Scalar'
        ? NEEDED_RULES[this.builder.configStore.getTypeConfig(type.ref).name]
        : undefined;
    if (example !== undefined && rule === undefined) {
      throw new Error(`${name} needs the option rule, such as ${example}`);
    }
    return { ...config, extensions: { ...config.extensions, rule } };
  }

  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    config: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
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
}

/** The type of a list's items; any other type as it is. */
function itemType<Types extends SchemaTypes>(
  type: PothosInputFieldConfig<Types>['type'],
): PothosInputFieldConfig<Types>['type'] {
  return type.kind === 'List' ? itemType(type.type) : type;
}

SchemaBuilder.registerPlugin(INPUT_RULES, InputRulesPlugin);
