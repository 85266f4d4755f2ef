import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject } from '../src/json.ts';
import { startDatabaseProxy } from './support/database-proxy.ts';
import { createDatabase, TEMPLATE } from './support/database.ts';
import { startMeasuredService, type Series } from './support/measured-service.ts';
import { readPromQL, type AskedMetric, type Matcher } from './support/promql.ts';

/** What Prometheus itself tells, and adds to all that it reads. */
const OF_PROMETHEUS: Series = { name: 'up', labels: {}, value: 1 };
const TARGET = { job: 'animal-store-gateway', instance: '127.0.0.1:9464' };

interface Query {
  readonly where: string;
  readonly expression: string;
  /** What names labels in its texts: legends, summaries. */
  readonly texts: string;
}

const dashboard: unknown = JSON.parse(await readText('deploy/grafana-dashboard.json'));
const alerts: unknown = parse(await readText('deploy/prometheus-alerts.yml'));
const queries = [...queriesIn(dashboard, 'dashboard'), ...queriesIn(alerts, 'alerts')];
const series = [OF_PROMETHEUS, ...(await seriesOfEverything())].map(
  ({ name, labels, value }): Series => ({ name, labels: Object.assign(labels, TARGET), value }),
);

function readText(path: string): Promise<string> {
  return readFile(new URL(`../${path}`, import.meta.url), 'utf8');
}

/** Every object with an `expr`, wherever it is. */
function queriesIn(value: unknown, where: string): Query[] {
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown) => queriesIn(one, where));
  }
  if (!isJsonObject(value)) {
    return [];
  }
  const { expr, title, alert } = value;
  const name = typeof title === 'string' ? title : alert;
  const here = typeof name === 'string' ? `${where}: ${name}` : where;
  const { panels: _panels, ...own } = value;
  return [
    ...(typeof expr === 'string'
      ? [{ where: here, expression: expr, texts: JSON.stringify(own) }]
      : []),
    ...Object.values(value).flatMap((one) => queriesIn(one, here)),
  ];
}

/** What a service tells that has done one of everything, and failed once. */
async function seriesOfEverything(): Promise<Series[]> {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using proxy = await startDatabaseProxy(databaseUrl);
  const { send, scrape } = await startMeasuredService({ DATABASE_URL: proxy.url });
  await send('/v1/pets/0');
  await send('/graphql?query={pets{id}}');
  await send('/v1/pets', { headers: { Authorization: 'none' } });
  // Two that ask for the same while another is being answered.
  proxy.hold();
  const first = send('/v1/pets');
  await proxy.holding();
  const failed = send('/v1/pets?limit=1');
  await Promise.all([first, failed, send('/v1/pets'), send('/v1/pets')]);
  proxy.letGo();
  return scrape();
}

function isMet({ label, operator, value }: Matcher, { labels }: Pick<Series, 'labels'>): boolean {
  const actual = new Map(Object.entries(labels)).get(label) ?? '';
  // What a reader may choose.
  if (value.startsWith('$')) {
    return actual !== '';
  }
  switch (operator) {
    case '=':
      return actual === value;
    case '!=':
      return actual !== value;
    case '=~':
      return new RegExp(`^(?:${value})$`).test(actual);
    default:
      return !new RegExp(`^(?:${value})$`).test(actual);
  }
}

function found({ name, matchers }: AskedMetric): Series[] {
  return series.filter(
    (one) => one.name === name && matchers.every((matcher) => isMet(matcher, one)),
  );
}

test('dashboard and alerts have queries', () => {
  expect(queries.filter(({ where }) => where.startsWith('dashboard')).length).toBeGreaterThan(20);
  expect(queries.filter(({ where }) => where.startsWith('alerts')).length).toBe(7);
});

test.each(queries)('$where: what it asks for is told', ({ expression, texts }) => {
  const { metrics, labels } = readPromQL(expression);
  expect(metrics.length).toBeGreaterThan(0);
  for (const metric of metrics) {
    expect({ metric, found: found(metric) }).not.toEqual({ metric, found: [] });
    const known = found({ ...metric, matchers: [] }).flatMap((one) => Object.keys(one.labels));
    for (const { label } of metric.matchers) {
      expect(known).toContain(label);
    }
  }
  const known = metrics.flatMap(found).flatMap((one) => Object.keys(one.labels));
  const named = Array.from(texts.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g), ([, name]) => name);
  for (const label of [...labels, ...named]) {
    expect(known).toContain(label);
  }
  // A legend names what is grouped by, or the query's own series.
  expect(labels.length === 0 ? known : [...labels, ...Object.keys(TARGET)]).toEqual(
    expect.arrayContaining(named),
  );
});

test('every metric is shown on the dashboard', () => {
  const shown = new Set(
    queries
      .filter(({ where }) => where.startsWith('dashboard'))
      .flatMap(({ expression }) => readPromQL(expression).metrics)
      .map(({ name }) => familyOf(name)),
  );
  const told = new Set(series.map(({ name }) => familyOf(name)));
  expect([...told].filter((name) => !shown.has(name))).toEqual([]);
});

/** Without what a histogram ends its names with. */
function familyOf(name: string): string {
  return name.replace(/_(?:bucket|count|sum)$/, '');
}
