import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { renderReference } from '../../src/reference.ts';
import { runSample, SAMPLE_LANGUAGES } from '../../../../test/support/documentation/run-sample.ts';

/** An animal needs a keeper and a shelter, and that a town, whose id is text. */
function additionOf(tag: string, example: object, links: Readonly<Record<string, string>>) {
  return {
    post: {
      operationId: `add-${tag}`,
      tags: [tag],
      requestBody: { content: { 'application/json': { example } } },
      responses: {
        '201': {
          content: { 'application/json': {} },
          links: Object.fromEntries(
            Object.entries(links).map(([member, operationId]) => [
              operationId,
              { operationId, requestBody: { [member]: '$response.body#/id' } },
            ]),
          ),
        },
      },
    },
  };
}
const DOCUMENT = JSON.stringify({
  info: { title: 'A shelter', version: '1' },
  servers: [{ url: 'BASE_URL' }],
  tags: ['animals', 'keepers', 'shelters', 'towns'].map((name) => ({ name })),
  paths: {
    '/animals': additionOf('animals', { name: "R'ex", keeperId: 7, ownId: 7, shelterId: 7 }, {}),
    '/keepers': additionOf('keepers', { name: 'Ann' }, { keeperId: 'add-animals' }),
    '/shelters': additionOf('shelters', { ownId: 'x' }, { shelterId: 'add-animals' }),
    '/towns': additionOf('towns', { name: 'Y' }, { ownId: 'add-shelters' }),
  },
});

/** The first samples are those of adding an animal. */
const { markup } = renderReference(DOCUMENT).content;

const IDS: Readonly<Record<string, string>> = {
  '/keepers': '9007199254740993',
  '/shelters': '-3',
  '/towns': '"a b"',
  '/animals': '1',
};
const received: string[] = [];
const server = createServer((request, response) => {
  const { url = '', headers } = request;
  const record = async (): Promise<void> => {
    received.push(`${url} ${headers.authorization} ${await text(request)}`);
    response.writeHead(201).end(`{"name":"x","id":${IDS[url]}}`);
  };
  void record();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
const { port } = server.address() as AddressInfo;

test.each(SAMPLE_LANGUAGES)(
  'a sample in %s adds first what its request refers to, by exact ids',
  async (language) => {
    received.length = 0;
    const printed = await runSample(markup, language, {
      key: 'k',
      server: `http://127.0.0.1:${port}`,
    });
    expect(received).toEqual([
      '/keepers Bearer k { "name": "Ann" }',
      '/towns Bearer k { "name": "Y" }',
      '/shelters Bearer k { "ownId": "a b" }',
      `/animals Bearer k { "name": "R'ex", "keeperId": 9007199254740993, "ownId": 7, "shelterId": -3 }`,
    ]);
    expect(printed).toContain('x');
  },
);

test('a sample in Go declares a variable for each, in the order of the requests', () => {
  const [, code = ''] = markup.split('<pre data-language="Go"><code>');
  expect(code).toContain('var keeperId, ownId, shelterId string');
  expect(code.match(/\w+ = string\(added\.ID\)/g)).toEqual(
    ['keeperId', 'ownId', 'shelterId'].map((name) => `${name} = string(added.ID)`),
  );
  expect(code).toContain('&quot;keeperId&quot;: `+keeperId+`');
});
