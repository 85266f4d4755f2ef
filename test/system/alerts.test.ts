import { exportedName, METRICS } from '@store-gateway/ops';
import { expect, test } from 'vitest';
import { readDescriptions } from '../support/alert-descriptions.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { checkMetrics, RULES, testRules, type RuleTest } from './support/promtool.ts';
import {
  authentications,
  DAY,
  DEPRECATED,
  REMOVAL,
  TROUBLES,
  UP,
  WELL,
  type Values,
} from './support/troubles.ts';

const DESCRIPTIONS = await readDescriptions(RULES);
const ALERTS = [...DESCRIPTIONS.keys()];

function annotationsOf(alert: string, summary: string): Record<string, string> {
  return { summary, description: DESCRIPTIONS.get(alert) ?? '' };
}

function inputOf(values: Values): RuleTest['input_series'] {
  return Object.entries(values).map(([name, written]) => ({ series: name, values: written }));
}

/** Expects that no alert fires at a time, except the named one. */
function nothingAt(time: string, but?: string): RuleTest['alert_rule_test'] {
  return ALERTS.filter((alertname) => alertname !== but).map((alertname) => ({
    eval_time: time,
    alertname,
    exp_alerts: [],
  }));
}

test('each alert has a test', () => {
  expect(TROUBLES.map(({ alert }) => alert)).toEqual(ALERTS);
});

test.each(
  TROUBLES.map((trouble) => [`${trouble.alert} fires when ${trouble.when}`, trouble] as const),
)('only %s', async (_what, { alert, values, minutes: [quiet, fires], labels, summary }) => {
  const outcome = await testRules({
    interval: '1m',
    input_series: inputOf({ ...WELL, ...values }),
    alert_rule_test: [
      ...nothingAt(`${quiet}m`),
      ...nothingAt(`${fires}m`, alert),
      {
        eval_time: `${fires}m`,
        alertname: alert,
        exp_alerts: [{ exp_labels: labels, exp_annotations: annotationsOf(alert, summary) }],
      },
    ],
  });
  expect(outcome).toContain('SUCCESS');
});

const STILL = Object.keys(WELL).filter((name) => /_(?:total|count|bucket)\{/.test(name));

test.each<[string, Values]>([
  ['everything works', {}],
  [
    'there are few requests, most of them without a valid key',
    { [authentications('ok')]: '0+6x60', [authentications('unknown')]: '0+30x60' },
  ],
  ['there are no requests', Object.fromEntries(STILL.map((name) => [name, '5x60']))],
])('no alert fires when %s', async (_what, values) => {
  const outcome = await testRules({
    interval: '1m',
    input_series: inputOf({ ...WELL, ...values }),
    alert_rule_test: ['15m', '31m', '47m', '60m'].flatMap((time) => nothingAt(time)),
  });
  expect(outcome).toContain('SUCCESS');
});

test.each([
  ['fires for a key that has sent requests for days', '0+1x600', true],
  ['does not fire for a key that has sent no request for a day', '5x600', false],
])('AnimalStoreDeprecatedCallsNearRemoval %s', async (_what, calls, fires) => {
  const trouble = TROUBLES.find(({ values }) => DEPRECATED in values);
  const { alert = '', labels = {}, summary = '' } = trouble ?? {};
  const outcome = await testRules({
    interval: '5m',
    input_series: inputOf({ [UP]: '1x600', [DEPRECATED]: calls, [REMOVAL]: `${20 * DAY}x600` }),
    alert_rule_test: [
      ...nothingAt('2d', alert),
      {
        eval_time: '2d',
        alertname: alert,
        exp_alerts: fires
          ? [{ exp_labels: labels, exp_annotations: annotationsOf(alert, summary) }]
          : [],
      },
    ],
  });
  expect(outcome).toContain('SUCCESS');
});

/**
 * Returns samples of the metrics that this service does not export, because they come from several workers or from rare
 * events.
 */
function withoutSeries(body: string): string {
  return Object.entries(METRICS)
    .map(([name, { kind, description }]) => {
      const exported = exportedName(name, 'animal_store_');
      const type = kind === 'read counter' ? 'counter' : kind;
      const comments = `# HELP ${exported} ${description}\n# TYPE ${exported} ${type}\n`;
      const buckets = `${exported}_bucket{le="+Inf"} 1\n${exported}_sum 1\n${exported}_count 1\n`;
      return body.includes(`# TYPE ${exported} `)
        ? ''
        : comments + (kind === 'histogram' ? buckets : `${exported} 1\n`);
    })
    .join('');
}

test("promtool accepts the service's metrics", async () => {
  const { metricsUrl, send } = await startMeasuredGateway();
  expect(await send('/v1/pets')).toBe(200);
  const body = await (await fetch(metricsUrl)).text();
  expect(body).toContain('# TYPE http_server_request_duration_seconds histogram\n');
  expect(await checkMetrics(body + withoutSeries(body))).toBe('');
});

test('promtool reports invalid metrics', async () => {
  expect(await checkMetrics('# TYPE pets_count gauge\npets_count 1\n')).toContain('pets_count');
});
