import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject } from '@store-gateway/ops';
import { readDescriptions } from '../support/alert-descriptions.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { AS_IN_PRODUCTION } from '../support/gateway.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import type { Series } from '../support/measured.ts';
import { readPromQL, type AskedMetric, type Matcher } from '../support/promql.ts';

interface Query {
  readonly where: string;
  readonly expression: string;
  /** Texts that mention labels: legends and summaries. */
  readonly texts: string;
}

/** The series that Prometheus itself adds to every scrape. */
const OF_PROMETHEUS: Series = { name: 'up', labels: {}, value: 1 };
const TARGET = { job: 'animal-store-gateway', instance: '127.0.0.1:9464' };

/** These series exist only with several WORKERS; test/workers/one-service.test.ts scrapes them. */
const OF_SUPERVISOR = [
  'animal_store_workers',
  'animal_store_worker_deaths_total',
  'animal_store_worker_hangs_total',
];

const dashboard: unknown = JSON.parse(await readText('deploy/grafana-dashboard.json'));
const rules = await readText('deploy/prometheus-alerts.yml');
const monitoring = await readText('docs/monitoring.md');
const alerts: unknown = parse(rules);
const queries = [...queriesIn(dashboard, 'dashboard'), ...queriesIn(alerts, 'alerts')];
const series = await seriesOfEverything();
const ofService = series.filter(({ name }) => name !== 'up');

/** Returns every object that has an `expr`, at any depth. */
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

function isMet({ label, operator, value }: Matcher, { labels }: Pick<Series, 'labels'>): boolean {
  const actual = new Map(Object.entries(labels)).get(label) ?? '';
  // A dashboard variable matches any value.
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

test('the dashboard and the alerts have queries', () => {
  expect(queries.filter(({ where }) => where.startsWith('dashboard')).length).toBeGreaterThan(20);
  expect(queries.filter(({ where }) => where.startsWith('alerts')).length).toBe(13);
});

test.each(queries)('the metrics and labels in $where exist', ({ expression, texts }) => {
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
  // A legend uses the labels that the query groups by, or else those of its own series.
  expect(labels.length === 0 ? known : [...labels, ...Object.keys(TARGET)]).toEqual(
    expect.arrayContaining(named),
  );
});

test('"All" on the dashboard selects only the service\'s own jobs and processes', () => {
  const templating = isJsonObject(dashboard) ? dashboard['templating'] : undefined;
  const variables = isJsonObject(templating) ? templating['list'] : undefined;
  expect(variables).toMatchObject([
    { name: 'datasource' },
    { name: 'job', definition: expect.stringContaining('animal_store_build_info') as unknown },
    { name: 'instance', definition: expect.stringContaining('animal_store_build_info') as unknown },
  ]);
  // With an allValue, the dashboard would query for that instead of the existing jobs.
  expect(JSON.stringify(variables)).not.toContain('allValue');
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

/** Returns the metrics in docs/monitoring.md: the names in each list item, and the text after them. */
function documentedMetrics(): { readonly names: string; readonly labels: string }[] {
  const [, after = ''] = monitoring.split('\n## Metrics\n');
  const section = after.split('\n## ', 1)[0] ?? '';
  return Array.from(
    section.matchAll(/^- ((?:`[^`]+`(?:,\s+)?)+)(?::\s+([^]*?))?$(?=\n-|\n\n)/gm),
    ([, names = '', labels = '']) => ({ names, labels }),
  );
}

/** Expands names as a shell would: `a_{b,c}` becomes `a_b` and `a_c`. */
function namesIn(cell = ''): string[] {
  return Array.from(cell.matchAll(/`(\w*)(?:\{([\w,]+)\})?(\w*)`/g)).flatMap(
    ([, start = '', middle = '', end = '']) => middle.split(',').map((one) => start + one + end),
  );
}

test('docs/monitoring.md lists every metric, with its labels', () => {
  const rows = documentedMetrics().map(({ names, labels }) => ({ names: namesIn(names), labels }));
  const told = new Set(ofService.map(({ name }) => familyOf(name)));
  expect(rows.flatMap(({ names }) => names.map(familyOf)).toSorted()).toEqual([...told].toSorted());
  const suppressed = ofService.flatMap(({ name, labels }) => {
    const row = rows.find(({ names }) => names.map(familyOf).includes(familyOf(name)));
    return Object.keys(labels).filter(
      (label) => !(label in TARGET || label === 'le' || row?.labels.includes(label)),
    );
  });
  expect(suppressed).toEqual([]);
});

test("every alert's description says what to do and refers to existing panels", async () => {
  const descriptions = await readDescriptions(
    new URL('../../deploy/prometheus-alerts.yml', import.meta.url),
  );
  expect(descriptions.size).toBe(13);
  for (const [alert, description] of descriptions) {
    expect([alert, description.length > 50]).toEqual([alert, true]);
    for (const [, panel] of description.matchAll(/(?:See|Compare|with) "([^"]+)"/g)) {
      expect(JSON.stringify(dashboard)).toContain(`"title":"${panel}"`);
    }
  }
});

/** Returns the series that Prometheus scrapes from a service that has done everything once, and failed once. */
async function seriesOfEverything(): Promise<Series[]> {
  const proxy = await startDatabaseProxy();
  const { url, send, scrape } = await startMeasuredGateway({
    ...AS_IN_PRODUCTION,
    databaseUrl: proxy.url,
  });
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  await fetch(`${url}/readyz`);
  await send('/v1/pets/0');
  await send('/graphql?query={pets{id}}');
  await send('/v1/pets', { headers: { Authorization: 'none' } });
  // Two requests for the same list while another request is being answered.
  proxy.hold();
  const first = send('/v1/pets');
  await proxy.holding();
  const failed = send('/v1/pets?limit=1');
  // With this media type, the failed field's response has the status 294, even though its data is null.
  const Accept = 'application/graphql-response+json';
  const partial = send('/graphql?query={pets{name}}', { headers: { Accept } });
  await Promise.all([first, failed, partial, send('/v1/pets'), send('/v1/pets')]);
  proxy.letGo();
  const ofSupervisor = OF_SUPERVISOR.map((name): Series => ({ name, labels: {}, value: 0 }));
  return [OF_PROMETHEUS, ...ofSupervisor, ...(await scrape())].map(
    ({ name, labels, value }): Series => ({
      name,
      labels: Object.assign(labels, TARGET),
      value,
    }),
  );
}

/** Reads a file from this repository. */
function readText(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Returns a histogram series' name without its suffix. */
function familyOf(name: string): string {
  return name.replace(/_(?:bucket|count|sum)$/, '');
}
