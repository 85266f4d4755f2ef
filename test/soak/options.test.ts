import { expect, test } from 'vitest';
import { readOptions } from '../../soak/options.ts';

const DEFAULTS = { minutes: '60', interval: '60', rate: '300' };

test('a soak is of an hour, with a fault each minute, on the embedded database', () => {
  expect(readOptions({ values: DEFAULTS, positionals: [] })).toEqual({
    minutes: 60,
    interval: 60,
    rate: 300,
    databaseUrl: undefined,
    out: undefined,
  });
});

test.each([
  { minutes: '1', interval: '15', rate: '500' },
  { minutes: '9999', interval: '9999', rate: '1' },
])('options at their bounds are taken: $minutes, $interval, $rate', (values) => {
  const { minutes, interval, rate } = readOptions({ values, positionals: [] });
  expect({ minutes, interval, rate }).toEqual({
    minutes: Number(values.minutes),
    interval: Number(values.interval),
    rate: Number(values.rate),
  });
});

test.each([
  ['minutes', '0', '--minutes must be a number from 1 to 9999; see --help'],
  ['minutes', '1.5', '--minutes must be a number from 1 to 9999; see --help'],
  ['interval', '14', '--interval must be a number from 15 to 9999; see --help'],
  // More would be refused by the service, as too many open requests while its database is away.
  ['rate', '501', '--rate must be a number from 1 to 500; see --help'],
  ['rate', 'fast', '--rate must be a number from 1 to 500; see --help'],
])('--%s %s is not understood', (option, value, message) => {
  const values = { ...DEFAULTS, [option]: value };
  expect(() => readOptions({ values, positionals: [] })).toThrow(
    expect.objectContaining({ message, exitCode: 2 }),
  );
});
