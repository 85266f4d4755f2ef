import { WAYS, type Column, type Way } from './rule.ts';

/** The matrix as Markdown: what each rule does on each way, of GraphQL and REST. */
export function tableOf(rules: readonly Column[]): string {
  const head = ['Way', ...rules.map(({ name }) => name)];
  const rows = WAYS.map((way) => rowOf(way, rules));
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function rowOf(way: Way, rules: readonly Column[]): string[] {
  return [way, ...rules.map((rule) => cellOf(rule, way))];
}

function cellOf({ graphql, rest }: Column, way: Way): string {
  const [ofGraphQL, ofRest] = [graphql[way]?.outcome, rest[way] && (rest[way].outcome ?? '403')];
  return ofGraphQL === ofRest ? (ofRest ?? '') : `${ofGraphQL ?? '–'} / ${ofRest ?? '–'}`;
}
