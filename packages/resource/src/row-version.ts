import { hash } from 'node:crypto';
import type { ObjectRef, SchemaTypes } from '@pothos/core';
import type { Stability } from '@store-gateway/graphql';
import { type AnyTypes, type Builder, namesIn } from './builder.ts';
import { columnNames } from './columns.ts';

const VERSION_LENGTH = 22;

const versioned = new WeakMap<Builder, Set<string>>();

/** Adds the field `version` to a type, unless the type has it already. */
export function addVersion(
  builder: Builder,
  type: Versioned,
  stability: Stability = 'stable',
): void {
  const { name, noun } = namesIn(builder, type);
  const types = versioned.get(builder) ?? new Set();
  versioned.set(builder, types);
  if (types.has(name)) {
    return;
  }
  types.add(name);
  const { modelName } = type;
  const select = Object.fromEntries(columnNames(modelName, builder).map((field) => [field, true]));
  const versionOf = versionsOf(modelName, builder);
  builder.objectField(type, 'version', (t) =>
    t.string({
      description: `Changes whenever the ${noun} does. Pass it in \`expected\` to make a change only if this is still the current version.`,
      example: 'rdXf0xmLUFcDb5XkOwSRdQ',
      stability,
      extensions: { isVersion: true, pothosPrismaSelect: select },
      resolve: (row, _args, context) => versionOf(row, context),
    }),
  );
}

type Versioned = ObjectRef<AnyTypes, object> & { readonly modelName: string };

/**
 * Returns a function that calculates the version of a model's row from all columns, including hidden ones. The secret
 * `resources.versionKey` is part of the hash, so that column values can't be guessed from a version. A truncated hash of a
 * fixed-length secret followed by a text is a keyed hash (chop-MD; Coron et al., CRYPTO 2005).
 *
 * @returns 132 bits in base64url
 * @throws Error if the builder has no `resources.versionKey`
 */
export function versionsOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): (row: object, context: Types['Context']) => string {
  const names = columnNames(model, builder);
  const versionKey = builder.options.resources?.versionKey;
  if (versionKey === undefined) {
    throw new Error(`${model} can't have versions: the builder needs resources.versionKey`);
  }
  return (row, context) => {
    let text = versionKey(context);
    for (const name of names) {
      const value: unknown = Reflect.get(row, name);
      const written = value instanceof Object ? JSON.stringify(value, exactly) : String(value);
      // The length marks the end of the value, and the type distinguishes null from "null".
      text += `${typeof value} ${written.length} ${written}`;
    }
    return hash('sha256', text, 'base64url').slice(0, VERSION_LENGTH);
  };
}

/** A replacer for JSON.stringify that writes bigints as integers, so that they differ from strings, and infinities as text. */
export function exactly(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    return JSON.rawJSON(String(value));
  }
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
