import { expect, test } from 'vitest';
import { readDescriptions } from '../support/alert-descriptions.ts';
import { RULES, testRules, type RuleTest } from './support/promtool.ts';
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

/** What an alert says, besides its summary, is the same whatever fires it. */
function annotationsOf(alert: string, summary: string): Record<string, string> {
  return { summary, description: DESCRIPTIONS.get(alert) ?? '' };
}

function inputOf(values: Values): RuleTest['input_series'] {
  return Object.entries(values).map(([name, written]) => ({ series: name, values: written }));
}

/** That nothing fires at a time but for one alert, if one is named. */
function nothingAt(time: string, but?: string): RuleTest['alert_rule_test'] {
  return ALERTS.filter((alertname) => alertname !== but).map((alertname) => ({
    eval_time: time,
    alertname,
    exp_alerts: [],
  }));
}

test('each alert is tried here', () => {
  expect(TROUBLES.map(({ alert }) => alert)).toEqual(ALERTS);
});

test.each(
  TROUBLES.map((trouble) => [`${trouble.alert} fires when ${trouble.when}`, trouble] as const),
)('%s, and nothing else does', async (_what, { alert, values, quiet, fires, labels, summary }) => {
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
  ['all is well', {}],
  [
    'few requests come, and most of them without a valid key',
    { [authentications('ok')]: '0+6x60', [authentications('unknown')]: '0+30x60' },
  ],
  ['nobody asks for anything', Object.fromEntries(STILL.map((name) => [name, '5x60']))],
])('nothing fires when %s', async (_what, values) => {
  const outcome = await testRules({
    interval: '1m',
    input_series: inputOf({ ...WELL, ...values }),
    alert_rule_test: ['15m', '31m', '47m', '60m'].flatMap((time) => nothingAt(time)),
  });
  expect(outcome).toContain('SUCCESS');
});

test.each([
  ['fires for a key that has called for days', '0+1x600', true],
  ['is over for a key that has not called for a day', '5x600', false],
])('AnimalStoreDeprecatedCallsNearRemoval %s what is soon removed', async (_what, calls, fires) => {
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
