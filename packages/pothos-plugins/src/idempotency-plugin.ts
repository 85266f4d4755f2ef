import SchemaBuilder, {
  BasePlugin,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { text } from './input-rules.ts';

export const IDEMPOTENCY = 'idempotency';

/** Characters of a key. */
export const MAX_KEY_LENGTH = 255;

const ARGUMENT = 'idempotencyKey';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      [IDEMPOTENCY]: IdempotencyPlugin<Types>;
    }
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      idempotency: {
        /**
         * The context in which a resolver's creates are made once, if the argument or the request has a key.
         *
         * @throws if there is one, and the field doesn't take it
         */
        readonly deduplicating: (
          context: Types['Context'],
          argument: string | undefined,
          idempotency: Idempotency,
        ) => Types['Context'];
      };
    }
    interface FieldOptions {
      /**
       * Of a mutation that does nothing but add rows: it takes a key, and may say what of one that has added something else.
       * Others are refused with a key, before they have done anything.
       */
      idempotency?: boolean | Exclude<Idempotency, false>;
    }
  }
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    idempotency?: Idempotency;
  }
}

/** False for a mutation that takes no key; otherwise the message for a reused key. */
export type Idempotency = false | { readonly reused: string };

const DEFAULT: Idempotency = { reused: 'This Idempotency-Key has added something else' };

function idempotencyOf({
  idempotency = false,
}: Pick<PothosSchemaTypes.FieldOptions, 'idempotency'>): Idempotency {
  return idempotency === true ? DEFAULT : idempotency;
}

/** Mutations that add rows take an idempotency key, as an argument or from their request, without code in their resolvers. */
class IdempotencyPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(
    config: PothosOutputFieldConfig<Types>,
  ): PothosOutputFieldConfig<Types> {
    if (config.kind !== 'Mutation') {
      return config;
    }
    const idempotency = idempotencyOf(config.pothosOptions);
    return {
      ...config,
      extensions: { ...config.extensions, idempotency },
      ...(idempotency !== false && {
        args: { ...config.args, [ARGUMENT]: argumentOf(config) },
      }),
    };
  }

  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    config: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (config.kind !== 'Mutation') {
      return resolver;
    }
    const { deduplicating } = this.builder.options.idempotency;
    const idempotency = idempotencyOf(config.pothosOptions);
    return function resolveOnce(root, args, context, info) {
      const argument: unknown = Reflect.get(args, ARGUMENT);
      const key = typeof argument === 'string' ? argument : undefined;
      return resolver(root, args, deduplicating(context, key, idempotency), info);
    };
  }
}

function argumentOf<Types extends SchemaTypes>({
  name,
  parentType,
}: PothosOutputFieldConfig<Types>): PothosInputFieldConfig<Types> {
  const description =
    'A name for this addition: however often it is asked for within a day, it is made once, and its answer repeated. The header Idempotency-Key does the same.';
  return {
    kind: 'Arg',
    graphqlKind: 'Arg',
    name: ARGUMENT,
    parentField: name,
    parentType,
    type: { kind: 'Scalar', ref: 'String', required: false },
    description,
    pothosOptions: { type: 'String', description, rule: text(1, MAX_KEY_LENGTH) },
  };
}

SchemaBuilder.registerPlugin(IDEMPOTENCY, IdempotencyPlugin);
