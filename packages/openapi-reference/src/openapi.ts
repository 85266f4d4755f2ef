import { parseExactly } from '@gateway/exact-json/exact-json';
import { isJsonObject } from '@gateway/exact-json/json';

/** A part of a document. */
export type Node = Readonly<Record<string, unknown>>;

export interface OpenApi {
  readonly root: Node;
  /** What an object, a reference or an `allOf` of one reference stands for; siblings of the reference come first. */
  readonly resolve: (value: unknown) => Node;
}

/** Reads an OpenAPI 3.1 document. */
export function readOpenApi(text: string): OpenApi {
  const root = nodeOf(parseExactly(text));
  const resolve = (value: unknown): Node => {
    const { $ref, allOf, ...siblings } = nodeOf(value);
    if (allOf !== undefined) {
      return { ...resolve(listOf(allOf)[0]), ...siblings };
    }
    if (typeof $ref !== 'string') {
      return siblings;
    }
    const target = $ref
      .slice('#/'.length)
      .split('/')
      .reduce((node, name) => nodeOf(node[name.replaceAll('~1', '/').replaceAll('~0', '~')]), root);
    return { ...resolve(target), ...siblings };
  };
  return { root, resolve };
}

/** The name of the component that a reference leads to, perhaps within `allOf`. */
export function componentOf(value: unknown): string | undefined {
  const { $ref, allOf } = nodeOf(value);
  if (typeof $ref === 'string') {
    return $ref.split('/').at(-1);
  }
  return allOf === undefined ? undefined : componentOf(listOf(allOf)[0]);
}

/** What is missing is empty. */
export function nodeOf(value: unknown): Node {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
