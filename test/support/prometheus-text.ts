import { expect } from 'vitest';

/** A line of Prometheus's text format. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape tells; expects it to be written as Prometheus reads it. */
export function seriesIn(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] =
        /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      expect([line, name === '', Number.isNaN(Number(value))]).toEqual([line, false, false]);
      return { name, labels: labelsIn(labels), value: Number(value) };
    });
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(text.matchAll(/(\w+)="([^"]*)"(?:,|$)/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

/** The values of series, each under `name{label=value}`. */
export function valuesOf(series: readonly Series[]): Map<string, number> {
  return new Map(
    series.map(({ name, labels, value }) => [
      `${name}{${Object.entries(labels)
        .map((label) => label.join('='))
        .join(' ')}}`,
      value,
    ]),
  );
}
