import type { PothosTypeConfig } from '@pothos/core';
import {
  deprecationReason,
  deprecationSentences,
  named,
  replacementCalls,
  type Deprecation,
  type NamedDeprecation,
} from '@store-gateway/graphql';

/** The reason of what is deprecated, as printed schemas and introspection have it. */
export function reasonOf(deprecation: Deprecation | undefined): { deprecationReason?: string } {
  return deprecation === undefined
    ? {}
    : { deprecationReason: deprecationReason(deprecation, replacementCalls(deprecation)) };
}

/** A type whose description says that it is deprecated, as GraphQL has no place for that, and an enum's deprecated values. */
export function withTypeLifecycle(config: PothosTypeConfig): PothosTypeConfig {
  const deprecation = deprecationOfConfig(config);
  const described = deprecation
    ? {
        ...config,
        description:
          `${config.description ?? ''}\n\n${deprecationSentences(deprecation, replacementCalls(deprecation))}`.trim(),
        extensions: { ...config.extensions, deprecation },
      }
    : config;
  return described.kind === 'Enum' ? withDeprecatedValues(described) : described;
}

type EnumConfig = Extract<PothosTypeConfig, { kind: 'Enum' }>;
type EnumOptions = EnumConfig['pothosOptions']['values'];

function isNames(values: EnumOptions): values is readonly string[] {
  return Array.isArray(values);
}

function withDeprecatedValues(config: EnumConfig): EnumConfig {
  // An enum that is made of an object has options for some values, or for none.
  const options: EnumOptions | undefined = config.pothosOptions.values;
  const values = typeof config.values === 'function' ? config.values() : config.values;
  return {
    ...config,
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const own =
          options === undefined || isNames(options) ? undefined : options[name]?.deprecation;
        const deprecation = own && named(own, `${config.name}.${name}`, name);
        return [
          name,
          deprecation
            ? {
                ...value,
                ...reasonOf(deprecation),
                extensions: { ...value.extensions, deprecation },
              }
            : value,
        ];
      }),
    ),
  };
}

/** The deprecation of a type as a whole. */
export function deprecationOfConfig(config: PothosTypeConfig): NamedDeprecation | undefined {
  const own =
    config.kind === 'Enum' || config.kind === 'InputObject' || config.kind === 'Object'
      ? config.pothosOptions.deprecation
      : undefined;
  return own && named(own, config.name, config.name);
}
