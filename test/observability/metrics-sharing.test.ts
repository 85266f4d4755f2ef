import { expect, test } from 'vitest';
import { createFlights } from '../../src/flights/next-flight.ts';

test('who leads a flight and who joins one is told, once for each who asks', async () => {
  const told: boolean[] = [];
  const share = createFlights<string>((leads) => told.push(leads));
  const landing = Promise.withResolvers<string>();
  const underWay = share('list', () => landing.promise);
  const others = [1, 2, 3].map(() => share('list', () => Promise.resolve('next')));
  const another = share('other list', () => Promise.resolve('other'));
  expect(told).toEqual([true, true, false, false, true]);
  landing.resolve('first');
  expect(await Promise.all([underWay, ...others, another])).toEqual([
    'first',
    'next',
    'next',
    'next',
    'other',
  ]);
  expect(told).toHaveLength(5);
});
