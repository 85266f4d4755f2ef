import { WAYS, type Column } from './rule.ts';

/** The matrix as Markdown: what each rule does on each way, of GraphQL and REST. */
export function tableOf(rules: readonly Column[]): string {
  const head = ['Way', ...rules.map(({ name }) => name)];
  const rows = WAYS.map((way) => [
    way,
    ...rules.map(({ graphql, rest }) => {
      const [ofGraphQL, ofRest] = [
        graphql[way]?.outcome,
        rest[way] && (rest[way].outcome ?? '403'),
      ];
      const isSame = ofGraphQL === ofRest;
      return isSame ? (ofRest ?? '') : [ofGraphQL ?? '–', ofRest ?? '–'].join(' / ');
    }),
  ]);
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
