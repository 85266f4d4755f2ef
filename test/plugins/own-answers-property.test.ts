import { assert, asyncProperty } from 'fast-check';
import { expect, test } from 'vitest';
import { setLogger } from '@store-gateway/ops';
import { propertyRuns } from '../support/property-runs.ts';
import { designs, schemaOf } from './random-schema.ts';
import { NAMES, serveSchema } from './serve-schema.ts';

setLogger(undefined);

/** What each key asks for, on both surfaces. */
function pathsTo(selected: string): readonly string[] {
  const documents = [
    `{ animals { ${selected} } }`,
    `{ animalsConnection(first: 3) { nodes { ${selected} } edges { node { ${selected} } } pageInfo { hasNextPage } } }`,
    `{ animal(id: 2) { ${selected} } }`,
    `{ a: animal(id: 1) { ${selected} } animals(limit: 2) { ...F } } fragment F on Animal { ${selected} }`,
  ];
  return [
    '/v1/animals',
    '/v1/animals?limit=2&after=1',
    '/v1/animals/3',
    ...documents.map((document) => `/graphql/${Buffer.from(document).toString('base64url')}`),
  ];
}

test('wherever a schema depends on the caller, each key gets what it gets alone', async () => {
  const property = asyncProperty(designs, async (design) => {
    const { url, close } = await serveSchema(schemaOf(design), design.selected);
    const ask = async (name: string, path: string) => {
      const headers = { Authorization: `Bearer key-of-${name}` };
      const response = await fetch(url + path, { headers });
      return { name, status: response.status, text: await response.text() };
    };
    for (const path of pathsTo(design.selected)) {
      // Three rounds, because a document is compiled when it has come twice.
      const together = [];
      for (let round = 0; round < 3; round += 1) {
        const asked = [...NAMES, ...NAMES].map((name) => ask(name, path));
        together.push(...(await Promise.all(asked)));
      }
      const alone = new Map<string, unknown>();
      for (const name of NAMES) {
        alone.set(name, await ask(name, path));
      }
      for (const answer of together) {
        expect([path, answer]).toEqual([path, alone.get(answer.name)]);
      }
    }
    await close();
  });
  await assert(property, propertyRuns(8));
});
