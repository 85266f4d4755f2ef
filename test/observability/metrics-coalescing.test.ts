import { expect, test } from 'vitest';
import { createFlights } from '@gateway/coalescing/coalesce';

test('each request that can be coalesced is counted once, as leading or as joining', async () => {
  const told: boolean[] = [];
  const share = createFlights<string>((leads) => told.push(leads));
  const answer = Promise.withResolvers<string>();
  const inFlight = share('list', () => answer.promise);
  const others = [1, 2, 3].map(() => share('list', () => Promise.resolve('next')));
  const another = share('other list', () => Promise.resolve('other'));
  expect(told).toEqual([true, true, false, false, true]);
  answer.resolve('first');
  expect(await Promise.all([inFlight, ...others, another])).toEqual([
    'first',
    'next',
    'next',
    'next',
    'other',
  ]);
  expect(told).toHaveLength(5);
});
