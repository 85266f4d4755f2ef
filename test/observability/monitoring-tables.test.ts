import { expect, test } from 'vitest';
import { familyOf, readText, seriesOfEverything, TARGET } from '../support/monitoring.ts';

const operations = await readText('docs/operations.md');
const rules = await readText('deploy/prometheus-alerts.yml');
const series = (await seriesOfEverything()).filter(({ name }) => name !== 'up');

/** The cells of a table under a heading of docs/operations.md, below its head. */
function rowsUnder(heading: string): string[][] {
  const [, after = ''] = operations.split(`\n### ${heading}\n`);
  const lines = after.split(/\n#/, 1)[0]?.split('\n') ?? [];
  return lines
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** Names as a shell would write them out: `a_{b,c}` is `a_b` and `a_c`. */
function namesIn(cell = ''): string[] {
  return Array.from(cell.matchAll(/`(\w*)(?:\{([\w,]+)\})?(\w*)`/g)).flatMap(
    ([, start = '', middle = '', end = '']) => middle.split(',').map((one) => start + one + end),
  );
}

test('docs/operations.md tells of every metric, with its labels', () => {
  const rows = rowsUnder('Metrics').map(([names, labels = '']) => ({
    names: namesIn(names),
    labels,
  }));
  const told = new Set(series.map(({ name }) => familyOf(name)));
  expect(rows.flatMap(({ names }) => names.map(familyOf)).toSorted()).toEqual([...told].toSorted());
  const untold = series.flatMap(({ name, labels }) => {
    const row = rows.find(({ names }) => names.map(familyOf).includes(familyOf(name)));
    return Object.keys(labels).filter(
      (label) => !(label in TARGET || label === 'le' || row?.labels.includes(label)),
    );
  });
  expect(untold).toEqual([]);
});

test('docs/operations.md tells of every alert, in their order', () => {
  const names = Array.from(rules.matchAll(/- alert: (\w+)/g), ([, name]) => name);
  expect(rowsUnder('Alerts').map(([name]) => name)).toEqual(names);
});
