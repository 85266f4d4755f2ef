import { listOf, nodeOf, type Node } from './openapi.ts';

/** The examples of a media type or a parameter: of its own, or of its schema. */
export function examplesOf(node: Node): readonly unknown[] {
  const named = Object.values(nodeOf(node['examples'])).map((example) => nodeOf(example)['value']);
  const own = node['example'] === undefined ? named : [node['example'], ...named];
  return own.length > 0 ? own : listOf(nodeOf(node['schema'])['examples']);
}

/** On one line, with the spaces that people write. */
export function inLine(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(inLine).join(', ')}]`;
  }
  const members = Object.entries(nodeOf(value)).map(
    ([name, member]) => `${JSON.stringify(name)}: ${inLine(member)}`,
  );
  return members.length > 0 ? `{ ${members.join(', ')} }` : toJson(value);
}

/** In lines. */
export function inLines(value: unknown): string {
  return toJson(value, 2);
}

/** A string as it is, anything else as JSON. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? value : inLine(value);
}

/** With all digits of large integers, which are bigints here. */
function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, exact, indent);
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}
