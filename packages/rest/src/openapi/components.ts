import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@store-gateway/ops';

type Kind = 'schemas' | 'responses' | 'headers';

/** The components of a document, by name, collected while its operations are written. */
export type Components = Readonly<Record<Kind, Map<string, JsonObject>>>;

export function createComponents(): Components {
  return { schemas: new Map(), responses: new Map(), headers: new Map() };
}

export type Refer = (
  components: Components,
  kind: Kind,
  name: string,
  component: JsonObject,
) => JsonObject;

/**
 * Returns a reference to a component, which is added if it is new.
 *
 * @throws if another component has that name, because two routes select different members of a type
 */
export const referTo: Refer = (components, kind, name, component) => {
  const ofKind = components[kind];
  if (!isDeepStrictEqual(ofKind.get(name) ?? component, component)) {
    throw new Error(`OpenAPI: two different ${kind} would be named ${name}`);
  }
  ofKind.set(name, component);
  return { $ref: `#/components/${kind}/${name}` };
};

/**
 * Returns a reference to the component if it exists already, otherwise the component itself: an embedded resource may have
 * fewer members.
 */
export const referOrInline: Refer = (components, kind, name, component) =>
  isDeepStrictEqual(components[kind].get(name), component)
    ? referTo(components, kind, name, component)
    : component;
