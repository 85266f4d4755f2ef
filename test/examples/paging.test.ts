import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, '../../examples/graphql-client');
/** Loaded before an example: tells on stderr, one a line, the variables of each request that it sends. */
const TELL_REQUESTS = `data:text/javascript,${encodeURIComponent(`
  const send = globalThis.fetch;
  globalThis.fetch = (address, init) => {
    console.error(JSON.stringify(JSON.parse(init.body).variables ?? {}));
    return send(address, init);
  };
`)}`;

const small = await startGateway();
await small.post('/v1/pets', { name: 'only', categoryId: 1, status: 'available' });
const full = await startGateway();
for (const [index, name] of ['Ada', 'Bo', 'Cy', 'Di', 'Zoe', 'Ed', 'Flo', 'Gus'].entries()) {
  await full.post('/v1/pets', { name, categoryId: 1, status: index < 5 ? 'available' : 'sold' });
}

async function runExample(file: string, { url, key }: { url: string; key: string }) {
  const { stdout, stderr } = await run(process.execPath, ['--import', TELL_REQUESTS, file], {
    cwd: FOLDER,
    env: { ...process.env, ANIMAL_STORE_URL: url, API_KEY: key },
  });
  const requests: unknown = JSON.parse(`[${stderr.trimEnd().replaceAll('\n', ',')}]`);
  return { stdout, requests };
}

test.each(['paging-urql.ts', 'paging-apollo.ts'])(
  "%s asks for each page once; the list of its pages comes of its client's cache",
  async (file) => {
    const { stdout, requests } = await runExample(file, full);
    expect(requests).toEqual([
      { status: 'available' },
      { status: 'available', after: '2' },
      { status: 'sold' },
      { status: 'sold', after: '7' },
    ]);
    expect(stdout).toBe(
      'available: Ada, Bo, Cy, Di\nmore: true\nsold: Ed, Flo, Gus\nmore: false\n',
    );
  },
);

test.each(['paging-urql.ts', 'paging-apollo.ts'])(
  '%s asks once for a list of one page, and for one that is empty',
  async (file) => {
    const { stdout, requests } = await runExample(file, small);
    expect(requests).toEqual([{ status: 'available' }, { status: 'sold' }]);
    expect(stdout).toBe('available: only\nmore: false\nsold: \nmore: false\n');
  },
);

test.each([
  ['changes-apollo.ts', 4],
  ['changes-urql.ts', 5],
])(
  '%s shows no animal that has left a list, or is no more, and sends %i requests',
  async (file, sent) => {
    const store = await startGateway();
    for (const name of ['Ada', 'Bo', 'Cy']) {
      await store.post('/v1/pets', { name, categoryId: 1 });
    }
    const { stdout, requests } = await runExample(file, store);
    expect(stdout).toBe('Ada, Bo, Cy\nBo, Cy\nCy\n');
    expect(requests).toHaveLength(sent);
  },
);
