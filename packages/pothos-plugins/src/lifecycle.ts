import type { PothosOutputFieldConfig, SchemaTypes } from '@pothos/core';
import { isObjectType, type GraphQLSchema } from 'graphql';
import { codedError } from '@gateway/errors/coded-error';
import type { Resolver } from './builder-prototype.ts';

/** `beta` may still change, `experimental` may also be removed. */
export type Stability = 'stable' | 'beta' | 'experimental';

/** How a field is removed: messages, headers and counts follow from it. */
export interface Deprecation {
  /** The day of the announcement, in UTC: "2026-11-21". */
  readonly since: string;
  /** The first day, in UTC, on which the field is gone. */
  readonly removal: string;
  readonly replacement: {
    /** Ends the sentence "Use … instead". */
    readonly inWords: string;
    /** Fields of Query that serve instead, the best one first. */
    readonly fields: readonly [string, ...string[]];
    /** Arguments to give these. */
    readonly arguments?: Readonly<Record<string, string>>;
  };
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    deprecation?: Deprecation | undefined;
    stability?: Stability | undefined;
  }
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      lifecycle: {
        /** Milliseconds since 1970. */
        readonly now: (context: Types['Context']) => number;
      };
    }
    interface FieldOptions {
      /** For fields of Query and Mutation: announces the field's removal, and rejects it as GONE from that day on. */
      deprecation?: Deprecation;
      /** By default `stable`. */
      stability?: Stability;
    }
  }
}

/** A field with what its options `deprecation` and `stability` say of it. */
export function withLifecycle<Types extends SchemaTypes>(
  config: PothosOutputFieldConfig<Types>,
): PothosOutputFieldConfig<Types> {
  const { deprecation, stability = 'stable' } = config.pothosOptions;
  if (deprecation && config.kind !== 'Query' && config.kind !== 'Mutation') {
    // Its calls would be coalesced, and so neither counted nor rejected for each caller.
    throw new Error(
      `${config.name} can't be deprecated: only fields of Query and Mutation take a deprecation`,
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

/** Rejects calls of a field from the day of its removal on. */
export function untilRemoval<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  { pothosOptions: { deprecation } }: PothosOutputFieldConfig<Types>,
  { now }: PothosSchemaTypes.SchemaBuilderOptions<Types>['lifecycle'],
): Resolver<Types> {
  if (deprecation === undefined) {
    return resolver;
  }
  const removal = Date.parse(deprecation.removal);
  return function resolveUntilRemoval(root, args, context, info) {
    if (now(context) >= removal) {
      throw codedError('GONE', removalMessage(deprecation));
    }
    return resolver(root, args, context, info);
  };
}

/** @param calls of what serves instead, as clients write them */
export function deprecationReason(
  { removal, replacement }: Deprecation,
  calls: readonly string[],
): string {
  return `To be removed on ${inFull(removal)}. Use ${replacement.inWords} instead: ${calls.join(' or ')}.`;
}

/** The fields that serve instead, as GraphQL calls them: "items(status: new)". */
export function replacementCalls({ replacement }: Deprecation): string[] {
  const inputs = Object.entries(replacement.arguments ?? {}).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const called = inputs.length === 0 ? '' : `(${inputs.join(', ')})`;
  return replacement.fields.map((field) => field + called);
}

/** The message of GONE. */
export function removalMessage({ removal, replacement }: Deprecation): string {
  return `This was removed on ${inFull(removal)}. Use ${replacement.inWords} instead`;
}

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** "5 December 2030". The first use of Intl would take 13 ms of each start. */
export function inFull(day: string): string {
  const date = new Date(day);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}

/** A field that will be removed, and when: milliseconds since 1970. */
export interface Removal {
  readonly field: string;
  readonly at: number;
}

export function removalsIn(schema: GraphQLSchema): Removal[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .flatMap(({ name, extensions: { deprecation } }) =>
      deprecation === undefined ? [] : [{ field: name, at: Date.parse(deprecation.removal) }],
    );
}
