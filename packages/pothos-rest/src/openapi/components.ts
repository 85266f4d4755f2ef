import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@gateway/exact-json/json';

type Kind = 'schemas' | 'responses' | 'headers';

/** What a document describes once and refers to, by name: collected while its operations are written. */
export type Components = Readonly<Record<Kind, Map<string, JsonObject>>>;

export function createComponents(): Components {
  return { schemas: new Map(), responses: new Map(), headers: new Map() };
}

/**
 * A reference to a component, which is added if it is new.
 *
 * @throws if another one has that name: two routes that show different members of a type
 */
export function refer(
  components: Components,
  kind: Kind,
  name: string,
  component: JsonObject,
): JsonObject {
  const ofKind = components[kind];
  if (!isDeepStrictEqual(ofKind.get(name) ?? component, component)) {
    throw new Error(`OpenAPI: ${name} would be the name of two ${kind}`);
  }
  ofKind.set(name, component);
  return { $ref: `#/components/${kind}/${name}` };
}
