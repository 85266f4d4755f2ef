import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const { url } = await startGateway();

/** The URLs in what the gateway sends for a URL, each resolved against it. */
async function urlsIn(address: string, pattern: RegExp): Promise<string[]> {
  const response = await fetch(address, { headers: { Accept: 'text/html,*/*;q=0.8' } });
  expect([address, response.status]).toEqual([address, 200]);
  const references = (await response.text()).matchAll(pattern);
  return Array.from(references, ([, reference = '']) => new URL(reference, address).href);
}

/** Adds a module and all that it imports. */
async function addModule(modules: Set<string>, address: string): Promise<void> {
  if (!modules.has(address)) {
    modules.add(address);
    for (const imported of await urlsIn(address, /^import .* from '([^']+)';$/gm)) {
      await addModule(modules, imported);
    }
  }
}

test.each(['/', '/docs', '/graphql'])(
  '%s preloads the modules that it runs, with all that they import, and no other',
  async (path) => {
    const used = new Set<string>();
    for (const script of await urlsIn(url + path, /<script type="module" src="([^"]+)"/g)) {
      await addModule(used, script);
    }
    expect(used.size).toBeGreaterThan(1);
    const preloaded = await urlsIn(url + path, /<link rel="modulepreload" href="([^"]+)"/g);
    expect(new Set(preloaded)).toEqual(used);
  },
);
