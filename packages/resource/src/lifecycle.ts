import type {
  PothosTypeConfig,
  PothosInputFieldConfig,
  PothosOutputFieldConfig,
  SchemaTypes,
} from '@pothos/core';
import {
  deprecationReason,
  deprecationSentences,
  named,
  replacementCalls,
  type Deprecation,
  type NamedDeprecation,
  type Stability,
  firstRemoved,
  removalMessage,
  removalTime,
} from '@store-gateway/graphql';
import { codedError } from '@store-gateway/ops/errors';
import type { Resolver } from './builder-prototype.ts';

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
function deprecationOfConfig(config: PothosTypeConfig): NamedDeprecation | undefined {
  const own =
    config.kind === 'Enum' || config.kind === 'InputObject' || config.kind === 'Object'
      ? config.pothosOptions.deprecation
      : undefined;
  return own && named(own, config.name, config.name);
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** By what time things are removed; by default the process's. */
      lifecycle?: {
        /** Milliseconds since 1970. */
        readonly now: (context: Types['Context']) => number;
      };
    }
    interface FieldOptions {
      /** Announces the field's removal. From that day on, one of Query or Mutation is GONE, and so are operations with another. */
      deprecation?: Deprecation;
      /** By default `stable`. */
      stability?: Stability;
    }
    interface InputFieldOptions {
      /** Announces the removal of what isn't required: operations that give it are GONE from that day on. */
      deprecation?: Deprecation;
    }
    interface EnumValueConfig<Types extends SchemaTypes> {
      /** Announces its removal from inputs: operations that give it are GONE from that day on. */
      deprecation?: Deprecation;
    }
    interface EnumTypeOptions {
      /** Of all fields and inputs of this type. */
      deprecation?: Deprecation;
    }
    interface InputObjectTypeOptions {
      /** Of all inputs of this type. */
      deprecation?: Deprecation;
    }
    interface ObjectTypeOptions {
      /** Of all fields of this type. */
      deprecation?: Deprecation;
    }
  }
}

type Configs<Types extends SchemaTypes> = PothosSchemaTypes.SchemaBuilder<Types>['configStore'];

/** A field with what its options `deprecation` and `stability` say of it, or its type's. */
export function withLifecycle<Types extends SchemaTypes>(
  config: PothosOutputFieldConfig<Types>,
  configs: Configs<Types>,
): PothosOutputFieldConfig<Types> {
  const { deprecation: own, stability = 'stable' } = config.pothosOptions;
  const { parentType, name } = config;
  const isRoot = config.kind === 'Query' || config.kind === 'Mutation';
  const deprecation = sooner(
    own && named(own, isRoot ? name : `${parentType}.${name}`, isRoot ? undefined : name),
    deprecationOfType(config.type, configs),
  );
  return {
    ...config,
    ...reasonOf(deprecation),
    ...(stability !== 'stable' && {
      description: `${config.description ?? ''}\n\nStability: ${stability}.`.trim(),
    }),
    extensions: { ...config.extensions, deprecation, stability },
  };
}

/**
 * The deprecation of an argument or input field, or of its type, if it isn't required.
 *
 * @throws Error if one that is has its own
 * @internal
 */
export function inputDeprecation<Types extends SchemaTypes>(
  { parentType, parentField, name, type, defaultValue, pothosOptions }: InputConfig<Types>,
  configs: Configs<Types>,
): NamedDeprecation | undefined {
  const { deprecation: own } = pothosOptions;
  const isRequired = type.required && defaultValue === undefined;
  const of =
    parentField === undefined ? `${parentType}.${name}` : `${parentType}.${parentField}(${name}:)`;
  if (own && isRequired) {
    throw new Error(
      `${of} can't be deprecated, because it is required: make it optional or give it a default first`,
    );
  }
  const ofType = isRequired ? undefined : deprecationOfType(type, configs);
  return sooner(own && named(own, of, name), ofType);
}

function sooner(...some: readonly (NamedDeprecation | undefined)[]): NamedDeprecation | undefined {
  return firstRemoved(some.filter((each) => each !== undefined));
}

type InputConfig<Types extends SchemaTypes> = PothosInputFieldConfig<Types>;

function deprecationOfType<Types extends SchemaTypes>(
  type: PothosInputFieldConfig<Types>['type'] | PothosOutputFieldConfig<Types>['type'],
  configs: Configs<Types>,
): NamedDeprecation | undefined {
  return type.kind === 'List'
    ? deprecationOfType(type.type, configs)
    : deprecationOfConfig(configs.getTypeConfig(type.ref));
}

/** Rejects calls of a field of Query or Mutation from the day of its removal on; other uses are found in the operation. */
export function untilRemoval<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  { kind, extensions }: PothosOutputFieldConfig<Types>,
  { now }: NonNullable<PothosSchemaTypes.SchemaBuilderOptions<Types>['lifecycle']> = Date,
): Resolver<Types> {
  const deprecation = extensions?.['deprecation'];
  if (deprecation === undefined || (kind !== 'Query' && kind !== 'Mutation')) {
    return resolver;
  }
  const removal = removalTime(deprecation);
  return function resolveUntilRemoval(root, args, context, info) {
    if (now(context) >= removal) {
      throw codedError('GONE', removalMessage(deprecation));
    }
    return resolver(root, args, context, info);
  };
}
