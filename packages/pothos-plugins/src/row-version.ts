import { hash } from 'node:crypto';
import type { ObjectRef, SchemaTypes } from '@pothos/core';
import type { Stability } from '@store-gateway/schema-extensions/extensions';
import type { AnyTypes } from './builder-prototype.ts';
import { columnNames } from './column-values.ts';
import { namesIn } from './resource-names.ts';

type Builder = PothosSchemaTypes.SchemaBuilder<AnyTypes>;

const versioned = new WeakMap<Builder, Set<string>>();

/** Adds the field `version` to a type, once. */
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
      description: `Changes whenever the ${noun} does. A change with \`expected\` is only made if this is still its version.`,
      example: 'rdXf0xmLUFcDb5XkOwSRdQ',
      stability,
      extensions: { isVersion: true, pothosPrismaSelect: select },
      resolve: versionOf,
    }),
  );
}

export type Versioned = ObjectRef<AnyTypes, object> & { readonly modelName: string };

/** Calculates the versions of a model's rows, from all of their columns. */
export function versionsOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): (row: object) => string {
  const names = columnNames(model, builder);
  return (row) => {
    let text = '';
    for (const name of names) {
      const value: unknown = Reflect.get(row, name);
      const written =
        value instanceof Object ? JSON.stringify(value, withExactNumbers) : String(value);
      // Its length tells where it ends, and its type null from "null".
      text += `${typeof value} ${written.length} ${written}`;
    }
    return hash('sha1', text, 'base64url');
  };
}

/** A replacer for JSON.stringify: JSON has neither 64-bit integers nor infinities. */
export function withExactNumbers(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : value;
}
