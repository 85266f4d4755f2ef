import { expect, test } from 'vitest';
import { InvalidToken, ProviderUnavailable } from '../../src/tokens/claims.ts';
import { startFakeProvider } from './fake-provider.ts';

test('a token is verified once, and is known until it expires', async () => {
  const { tokens, made, clock, sign } = startFakeProvider();
  await tokens.refresh();
  const token = await sign({ exp: clock.seconds + 600 });
  expect(tokens.known(token)).toBeUndefined();
  const caller = await tokens.verify(token);
  expect(caller).toMatchObject({ subject: 'ann', scopes: new Set(['read']) });
  clock.seconds += 629;
  expect(tokens.known(token)).toBe(caller);
  expect(made).toHaveLength(1);
  clock.seconds += 1;
  expect(tokens.known(token)).toBeUndefined();
  await expect(tokens.verify(token)).rejects.toMatchObject({ hasExpired: true });
});

test('a refused token is not known', async () => {
  const { tokens, sign } = startFakeProvider();
  const token = await sign({ aud: 'https://other.example' });
  await expect(tokens.verify(token)).rejects.toThrow(InvalidToken);
  expect(tokens.known(token)).toBeUndefined();
});

test('tokens are known for as long as the keys stay', async () => {
  const { tokens, sign, publish } = startFakeProvider();
  await tokens.refresh();
  const token = await sign();
  await tokens.verify(token);
  await tokens.refresh();
  expect(tokens.known(token)).toBeDefined();
  publish('b');
  await tokens.refresh();
  expect(tokens.known(token)).toBeUndefined();
  await expect(tokens.verify(token)).rejects.toThrow(InvalidToken);
});

test('a token whose key is removed while it is verified does not stay known', async () => {
  const { tokens, sign, publish } = startFakeProvider();
  await tokens.refresh();
  const token = await sign();
  publish('b');
  const refreshed = tokens.refresh();
  await Promise.allSettled([tokens.verify(token), refreshed]);
  // Whichever was first.
  expect(tokens.known(token)).toBeUndefined();
});

test('while the provider is away, its known keys are good for any time, and no others', async () => {
  const { tokens, clock, sign, goAway, publish } = startFakeProvider();
  await tokens.refresh();
  const known = await sign({ exp: clock.seconds + 365 * 24 * 3600 });
  await tokens.verify(known);
  goAway();
  await tokens.refresh();
  expect(tokens.known(known)).toBeDefined();
  clock.seconds += 100 * 24 * 3600;
  await tokens.refresh();
  expect(tokens.known(known)).toBeDefined();
  expect(await tokens.verify(await sign({ jti: 'new' }))).toMatchObject({ subject: 'ann' });
  publish('a', 'b');
  const other = await sign({}, 'b');
  await expect(tokens.verify(other)).rejects.toThrow(ProviderUnavailable);
  goAway(false);
  clock.seconds += 5;
  expect(await tokens.verify(other)).toMatchObject({ subject: 'ann' });
});

test('nobody is let in before the provider has answered for the first time', async () => {
  const { tokens, clock, sign, goAway } = startFakeProvider();
  goAway();
  const token = await sign();
  await expect(tokens.verify(token)).rejects.toThrow(ProviderUnavailable);
  goAway(false);
  clock.seconds += 5;
  expect(await tokens.verify(token)).toMatchObject({ subject: 'ann' });
});

test('a provider that does not answer holds no token up for long', async () => {
  const silent = new Promise<never>(() => undefined);
  const { tokens, sign } = startFakeProvider({
    'https://login.example/shop/jwks': () => silent,
  });
  await expect(tokens.verify(await sign())).rejects.toThrow(ProviderUnavailable);
});

test('unknown key ids ask the provider every 5 s at most, however many come', async () => {
  const { tokens, asked, clock, sign } = startFakeProvider();
  await tokens.verify(await sign());
  const countKeys = () => asked.filter((url) => url.endsWith('/jwks')).length;
  const before = countKeys();
  for (let second = 0; second < 60; second += 1) {
    const flood = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sign({}, `unknown ${second} ${index}`)),
    );
    const verified = await Promise.allSettled(flood.map((token) => tokens.verify(token)));
    expect(verified.map(({ status }) => status)).toEqual(flood.map(() => 'rejected'));
    clock.seconds += 1;
  }
  // The first one asked for was that of the first token.
  expect(countKeys() - before).toBe(11);
});

test('so they do while the provider is away', async () => {
  const { tokens, asked, clock, sign, goAway } = startFakeProvider();
  goAway();
  for (let second = 0; second < 60; second += 1) {
    const flood = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sign({}, `unknown ${second} ${index}`)),
    );
    for (const verified of await Promise.allSettled(flood.map((token) => tokens.verify(token)))) {
      expect(verified).toMatchObject({ reason: { name: 'ProviderUnavailable' } });
    }
    clock.seconds += 1;
  }
  // Both addresses of the metadata, twelve times.
  expect(asked).toHaveLength(24);
});
