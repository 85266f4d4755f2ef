import { parseExactly, isJsonObject } from '@store-gateway/ops';

/** An object in a document. */
export type Node = Readonly<Record<string, unknown>>;

export interface OpenApi {
  readonly root: Node;
  /**
   * Resolves a reference, or a schema with `allOf` or `anyOf`, and merges the siblings, which take precedence. Any other object
   * stays as it is.
   */
  readonly resolve: (value: unknown) => Node;
}

export function readOpenApi(text: string): OpenApi {
  const root = nodeOf(parseExactly(text));
  const resolve = (value: unknown): Node => {
    const { $ref, allOf, anyOf, ...siblings } = nodeOf(value);
    const part = partOf(allOf, anyOf);
    if (part !== undefined) {
      return { ...resolve(part), ...siblings };
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

/** Returns the only schema of `allOf`, or the one of `anyOf` that isn't null's. */
function partOf(allOf: unknown, anyOf: unknown): unknown {
  return listOf(allOf)[0] ?? listOf(anyOf).find((schema) => nodeOf(schema)['type'] !== 'null');
}

/** Whether null is among the alternatives of a schema. */
export function isNullable(value: unknown): boolean {
  return listOf(nodeOf(value)['anyOf']).some((schema) => nodeOf(schema)['type'] === 'null');
}

/** The name of the component that a value refers to, directly or within `allOf` or `anyOf`. */
export function componentOf(value: unknown): string | undefined {
  const { $ref, allOf, anyOf } = nodeOf(value);
  if (typeof $ref === 'string') {
    return $ref.split('/').at(-1);
  }
  const part = partOf(allOf, anyOf);
  return part === undefined ? undefined : componentOf(part);
}

/** The components of a kind, by name. */
export function componentsOf(
  { root }: OpenApi,
  kind: 'schemas' | 'headers',
): readonly (readonly [name: string, component: unknown])[] {
  return Object.entries(nodeOf(nodeOf(root['components'])[kind]));
}

/** Returns the value if it is an object, otherwise an empty object. */
export function nodeOf(value: unknown): Node {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The examples of a media type or a parameter: its own, or else those of its schema. */
export function examplesOf(node: Node): readonly unknown[] {
  const named = Object.values(nodeOf(node['examples'])).map((example) => nodeOf(example)['value']);
  const own = node['example'] === undefined ? named : [node['example'], ...named];
  return own.length > 0 ? own : listOf(nodeOf(node['schema'])['examples']);
}

/** Writes a value as JSON on one line, with the spaces that people write. */
export function inLine(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(inLine).join(', ')}]`;
  }
  const members = Object.entries(nodeOf(value)).map(
    ([name, member]) => `${JSON.stringify(name)}: ${inLine(member)}`,
  );
  return members.length > 0 ? `{ ${members.join(', ')} }` : toJson(value);
}

export function inLines(value: unknown): string {
  return toJson(value, 2);
}

/** Writes a string unchanged, and anything else as JSON on one line. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? value : inLine(value);
}

/** Writes JSON with all digits of large integers, which are bigints here. */
function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, exact, indent);
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}
