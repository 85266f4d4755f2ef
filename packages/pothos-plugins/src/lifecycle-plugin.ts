import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { codedError } from '@gateway/errors/coded-error';
import {
  deprecationReason,
  removalMessage,
  replacementCalls,
  type Deprecation,
  type Stability,
} from './lifecycle.ts';

export const LIFECYCLE = 'lifecycle';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      [LIFECYCLE]: LifecyclePlugin<Types>;
    }
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      lifecycle: {
        /** Milliseconds since 1970. */
        readonly now: (context: Types['Context']) => number;
      };
    }
    interface FieldOptions {
      /** Of Query and Mutation: announces the field's removal, and rejects it as GONE from that day on. */
      deprecation?: Deprecation;
      /** By default `stable`. */
      stability?: Stability;
    }
  }
}

/** Gives fields the options `deprecation` and `stability`. */
class LifecyclePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(
    config: PothosOutputFieldConfig<Types>,
  ): PothosOutputFieldConfig<Types> {
    const { deprecation, stability = 'stable' } = config.pothosOptions;
    if (deprecation && config.kind !== 'Query' && config.kind !== 'Mutation') {
      // Its calls would be coalesced, and so neither counted nor rejected for each caller.
      throw new Error(
        `${config.name} is no field of Query or Mutation, which alone take deprecation`,
      );
    }
    return {
      ...config,
      ...(deprecation && {
        deprecationReason: deprecationReason(deprecation, replacementCalls(deprecation)),
      }),
      ...(stability !== 'stable' && {
        description: `${config.description ?? ''}\n\nStability: ${stability}.`.trim(),
      }),
      extensions: { ...config.extensions, deprecation, stability },
    };
  }

  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    config: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const { deprecation } = config.pothosOptions;
    if (deprecation === undefined) {
      return resolver;
    }
    const { now } = this.builder.options.lifecycle;
    const removal = Date.parse(deprecation.removal);
    return function resolveUntilRemoval(root, args, context, info) {
      if (now(context) >= removal) {
        throw codedError('GONE', removalMessage(deprecation));
      }
      return resolver(root, args, context, info);
    };
  }
}

SchemaBuilder.registerPlugin(LIFECYCLE, LifecyclePlugin);
