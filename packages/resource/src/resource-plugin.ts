import SchemaBuilder, { BasePlugin, type PothosInputFieldConfig, type PothosOutputFieldConfig, type PothosTypeConfig, type SchemaTypes } from '@pothos/core';
import { type Models, typeOf } from '@store-gateway/data';
import { argumentFaults, inputError, type InputRule, type ResourceNames, type ValueFacts } from '@store-gateway/graphql';
import { takingRows } from '@store-gateway/ops';
import type { OwnError } from '@store-gateway/ops/errors';
import { GraphQLSchema } from 'graphql';
import type { Resolver } from './builder.ts';
import { absenceOf, columnOf, idColumn, modelFacts, withAbsence } from './columns.ts';
import './fields.ts';
import { deduplicated, withIdempotency } from './idempotency.ts';
import { markSchema } from './marks.ts';
import { failingAlone, reportedMutation, withoutViolation } from './mutations.ts';
import './scalars.ts';
import './writes.ts';

/** The name of the plugin, for the `plugins` of a Pothos builder. */
export const RESOURCES = 'resources';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      [RESOURCES]: ResourcePlugin<Types>;
    }
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      resources?: {
        /** The generated models of batched-prisma: how the ids of rows are stored. Only text and UUIDs need them. */
        readonly models: Models;
        /** Of a model's row: the condition that it is as it was read. Fields that change rows need it. */
        readonly asRead?: (model: string, row: object) => object;
        /** A secret of at least 128 bits and fixed length, the same in all processes, for versions of rows. They need it. */
        readonly versionKey?: (context: Types['Context']) => string;
      };
    }
    interface ObjectTypeOptions {
      resource?: ResourceNames;
    }
    interface FieldOptions extends ValueFacts {
      /**
       * Of Query: whether identical reads may share an execution that reads nothing of a caller from its context. False at any
       * depth: what the field gives one caller is nobody else's, nor kept for their own retries.
       */
      shared?: boolean;
      /** Of Mutation: whether it returns the row that it has created, whose columns a caller may see without the scope `read`. */
      createsRow?: boolean;
      /** The errors of the application's own that it throws, for the contracts of its routes. */
      throws?: readonly OwnError[];
    }
    interface InputFieldOptions extends ValueFacts {
      /** Checked before the resolver runs, of a list for each item; other values are BAD_USER_INPUT. */
      rule?: InputRule;
      /** Of an argument that says how many items the field lists at most: how many if no such argument is given. */
      defaultListSize?: number;
      /** Of a list: how many items it may have; it has at least one. */
      maxItems?: number;
    }
  }
}

/** Pothos takes any type named Subscription for the root of subscriptions, also one of rows. */
function withoutMistakenRoot(schema: GraphQLSchema): GraphQLSchema {
  return schema.getSubscriptionType()?.extensions.pothosPrismaModel === undefined
    ? schema
    : new GraphQLSchema({ ...schema.toConfig(), subscription: undefined });
}

/**
 * Gives types the option `resource`, fields and inputs those that the README lists, and builders the methods `listField`,
 * `connectionField`, `getField`, `createField`, `updateField`, `deleteField`, and those of scalars, such as `dateType`.
 */
class ResourcePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override beforeBuild(): void {
    checkOtherPlugins(this.builder.options.plugins ?? [], this.builder.options);
  }

  override onTypeConfig(config: PothosTypeConfig): PothosTypeConfig {
    const { resource, visible }: Partial<PothosSchemaTypes.ObjectTypeOptions> =
      config.kind === 'Object' ? config.pothosOptions : {};
    const isScoped =
      config.kind === 'Object' || config.kind === 'Interface' || config.kind === 'Union';
    const scopes = isScoped ? config.pothosOptions.scopes : undefined;
    const model = config.extensions?.['pothosPrismaModel'];
    const facts = typeof model === 'string' ? modelFacts(model, this.builder) : {};
    return {
      ...config,
      extensions: { ...config.extensions, resource, scopes, visible, ...facts },
    };
  }

  override afterBuild(built: GraphQLSchema): GraphQLSchema {
    const schema = withoutMistakenRoot(built);
    markSchema(schema, this.builder);
    return schema;
  }

  override onOutputFieldConfig(
    config: PothosOutputFieldConfig<Types>,
  ): PothosOutputFieldConfig<Types> {
    const { idempotency } = this.builder.options;
    return withIdempotency(failingAlone(this.#withFacts(config)), idempotency);
  }

  override wrapResolve(
    resolver: Resolver<Types>,
    config: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> {
    const { idempotency, violations } = this.builder.options;
    const once = deduplicated(resolver, config, idempotency);
    const checked = withinRules(withoutViolation(once, config, violations), config);
    const reported = reportedMutation(checked, config, this.builder);
    // What another plugin has wrapped already may leave out rows.
    const isOwn = resolver === config.resolve && config.extensions?.['takesRows'] === true;
    return isOwn ? takingRows(reported) : reported;
  }

  /**
   * Makes exposed columns plain properties, which executors read without calling anything, unless another plugin wraps them.
   * The Prisma plugin's own resolver would load a column that a row lacks; here rows are read whole.
   */
  #withFacts(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const {
      createsRow,
      shared = config.extensions?.['shared'],
      throws,
      scopes,
    } = config.pothosOptions;
    const extensions = {
      ...config.extensions,
      ...factsOf(config.pothosOptions, this.#columnFacts(config)),
      createsRow,
      shared,
      throws,
      scopes,
    };
    if (config.extensions?.['pothosExposedField'] !== config.name) {
      return { ...config, extensions };
    }
    const { resolve: _resolve, ...plain } = config;
    return plain.kind === 'PrismaObject'
      ? {
          ...plain,
          // The Prisma plugin selects the column all the same.
          kind: 'Object',
          extensions: { ...extensions, pothosPrismaSelect: plain.pothosOptions.select },
        }
      : { ...plain, extensions };
  }

  /** The facts about an exposed column: of IDs, by how they are stored. */
  #columnFacts({ type, parentType, extensions }: PothosOutputFieldConfig<Types>): ValueFacts {
    const column = extensions?.['pothosExposedField'];
    const { configStore } = this.builder;
    const item = type.kind === 'List' ? type.type : type;
    if (typeof column !== 'string' || item.kind !== 'Scalar') {
      return {};
    }
    const { name } = configStore.getTypeConfig(item.ref);
    const model = configStore.getTypeConfig(parentType).extensions?.['pothosPrismaModel'];
    if (typeof model === 'string') {
      refuseLossOfTime(name, model, column, this.builder);
    }
    if (name !== 'ID' || item !== type) {
      return {};
    }
    const ids = typeof model === 'string' ? idColumn(model, column, this.builder) : undefined;
    return ids === undefined ? {} : { example: ids.example, jsonSchema: ids.rule.jsonSchema };
  }

  override onInputFieldConfig(
    config: PothosInputFieldConfig<Types>,
  ): PothosInputFieldConfig<Types> {
    const { defaultListSize, maxItems, scopes } = config.pothosOptions;
    const rule = ruleOf(config, this.builder);
    const absence = absenceOf(config, this.builder);
    const { notNull, defaultValue } = absence;
    const facts = { ...factsOf(config.pothosOptions), defaultListSize, maxItems, rule, notNull };
    return {
      ...config,
      description: withAbsence(config, absence),
      defaultValue,
      extensions: { ...config.extensions, ...facts, scopes },
    };
  }
}

/** @throws if a scalar would leave out some of a column's time */
function refuseLossOfTime<Types extends SchemaTypes>(
  scalar: string,
  model: string,
  field: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): void {
  const stored = columnOf(model, field, builder);
  if (scalar === 'DateTime' && stored?.isFiner === true) {
    throw new Error(
      `${model}.${field} has microseconds, which DateTime would round: give it @db.Timestamptz(3)`,
    );
  }
  if (scalar === 'Date' && stored !== undefined && typeOf(stored).time !== 'day') {
    throw new Error(
      `${model}.${field} has a time, which Date would drop: expose it as timestampType()`,
    );
  }
}

function factsOf({ example, jsonSchema }: ValueFacts, known: ValueFacts = {}): ValueFacts {
  return { example: example ?? known.example, jsonSchema: jsonSchema ?? known.jsonSchema };
}

SchemaBuilder.registerPlugin(RESOURCES, ResourcePlugin);

/** The option that other plugins need here, by their names: without it, they refuse with errors that have no code. */
const NEEDED: Readonly<Record<string, string>> = {
  scopeAuth: 'unauthorizedError',
  validation: 'validationError',
  complexity: 'complexityError',
};

/**
 * Refuses plugins whose refusals would be answered as failures of the service.
 *
 * @throws naming the option that is missing
 */
function checkOtherPlugins(plugins: readonly string[], options: object): void {
  for (const name of plugins) {
    const needed = NEEDED[name];
    const own: unknown = Reflect.get(options, name);
    const isGiven =
      typeof own === 'object' &&
      own !== null &&
      typeof Reflect.get(own, needed ?? '') === 'function';
    if (needed !== undefined && !isGiven) {
      throw new Error(
        `The plugin ${name} needs the option ${name}.${needed}, which returns an error with a code: without it, clients would get INTERNAL_SERVER_ERROR`,
      );
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
function ruleOf<Types extends SchemaTypes>(
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
function withinRules<Types extends SchemaTypes>(
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
