import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { renderReference } from '../src/reference.ts';
import { runSample, SAMPLE_LANGUAGES } from '../../../test/support/documentation/run-sample.ts';

const LARGEST = '9223372036854775807';

const ID = { name: 'id', in: 'path', required: true, schema: { examples: [7] } };
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: true,
  schema: { examples: ['"v1"'] },
};
const responses = { 200: { content: { 'application/json': { schema: {}, example: { id: 7 } } } } };
const body = (mediaType: string, example: object = { title: 'Ulysses' }) => ({
  content: { [mediaType]: { example } },
});
const operation = (operationId: string, more: object) => ({
  operationId,
  tags: ['books'],
  summary: operationId,
  responses,
  ...more,
});
const BOOK = {
  get: operation('read', { parameters: [ID] }),
  put: operation('replace', {
    parameters: [ID, IF_MATCH],
    requestBody: body('application/json'),
  }),
  patch: operation('change', {
    parameters: [ID, IF_MATCH],
    requestBody: body('application/merge-patch+json'),
  }),
  delete: operation('remove', { parameters: [ID, IF_MATCH], responses: { 204: {} } }),
};
/** A string with every kind of character that a language must escape. */
const QUOTES = 'O\'Neill "\\" `x`';
const THING = {
  put: operation('quote', {
    parameters: [
      { ...ID, schema: { examples: ['a/b'] } },
      { name: 'dry', in: 'query', schema: { default: "it's" } },
      { name: 'unsent', in: 'query', schema: { examples: ['never'] } },
    ],
    requestBody: body('application/json', { size: 'SIZE', name: QUOTES }),
  }),
};
const document = (tags: readonly string[], paths: object) =>
  JSON.stringify({
    info: { title: 'A library', version: '1' },
    servers: [{ url: '../v3' }],
    tags: tags.map((name) => ({ name })),
    paths,
  });

const { content } = renderReference(
  document(['books'], { '/books/{id}': BOOK, '/things/{id}': THING }).replace('"SIZE"', LARGEST),
);

/** The section of the page for an operation. */
function sectionOf(operationId: string): string {
  const [, section = ''] = content.markup.split(
    `<section class="operation" id="/books/${operationId}"`,
  );
  return section.split('</section>')[0] ?? '';
}

/** The ids that the server returns for resources that are added at these paths. */
const IDS: Readonly<Record<string, string>> = {
  '/v3/keepers': '9007199254740993',
  '/v3/shelters': '-3',
  '/v3/towns': '"a b"',
};
const received: string[] = [];
beforeEach(() => {
  received.length = 0;
});
const server = createServer((request, response) => {
  const record = async (): Promise<void> => {
    const { method, headers } = request;
    // fetch encodes apostrophes.
    const url = String(request.url).replaceAll('%27', "'");
    const facts = [headers['if-match'], headers['content-type'], await text(request)];
    received.push([method, url, headers.authorization, ...facts.filter(Boolean)].join(' '));
    const result = `{"name":"x","id":${IDS[url] ?? LARGEST}}`;
    response.writeHead(method === 'DELETE' ? 204 : 200);
    response.end(method === 'DELETE' ? undefined : result);
  };
  void record();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());
const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
const target = { key: 'k', server: `http://127.0.0.1:${port}/v3` };

const REQUESTS: readonly (readonly [name: string, request: string, printed?: string])[] = [
  ['read', 'GET /v3/books/7 Bearer k'],
  ['replace', 'PUT /v3/books/7 Bearer k "v1" application/json { "title": "Ulysses" }'],
  ['change', 'PATCH /v3/books/7 Bearer k "v1" application/merge-patch+json { "title": "Ulysses" }'],
  ['remove', 'DELETE /v3/books/7 Bearer k "v1"', '204'],
  [
    'quote',
    `PUT /v3/things/a%2Fb?dry=it's Bearer k application/json { "size": ${LARGEST}, "name": ${JSON.stringify(QUOTES)} }`,
  ],
];

test.each(
  SAMPLE_LANGUAGES.flatMap((language) =>
    REQUESTS.map(([name, request, printed]) => [language, name, request, printed] as const),
  ),
)(
  'the %s sample for %s sends its request and prints the response with all digits',
  async (language, name, request, printed = LARGEST) => {
    const output = await runSample(sectionOf(name), language, target);
    expect(received).toEqual([request]);
    expect(output).toContain(printed);
  },
);

/** The Go sample in a section of the page. */
function goCode(markup: string): string {
  const [, code = ''] = markup.split('<pre data-language="Go"><code>');
  return (code.split('</code>')[0] ?? '').replaceAll('&quot;', '"').replaceAll('&gt;', '>');
}

test('a Go sample is formatted like the output of gofmt', () => {
  expect(goCode(sectionOf('quote'))).toBe(String.raw`package main

import (
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	request, err := http.NewRequest("PUT", "BASE_URL/things/a%2Fb?dry=it's", strings.NewReader("{ \"size\": 9223372036854775807, \"name\": \"O'Neill \\\"\\\\\\\" ${'`x`'}\" }"))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}`);
});

test('the Go sample for a request without a body sends no body', () => {
  expect(goCode(sectionOf('remove'))).toContain(
    'http.NewRequest("DELETE", "BASE_URL/books/7", nil)',
  );
});

/** An operation that adds a resource, and the operations whose requests refer to its id. */
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
/** An animal refers to a keeper and a shelter, and a shelter to a town, whose id is text. */
const { markup } = renderReference(
  document(['animals', 'keepers', 'shelters', 'towns'], {
    '/animals': additionOf('animals', { name: "R'ex", keeperId: 7, ownId: 7, shelterId: 7 }, {}),
    '/keepers': additionOf('keepers', { name: 'Ann' }, { keeperId: 'add-animals' }),
    '/shelters': additionOf('shelters', { ownId: 'x' }, { shelterId: 'add-animals' }),
    '/towns': additionOf('towns', { name: 'Y' }, { ownId: 'add-shelters' }),
  }),
).content;

test.each(SAMPLE_LANGUAGES)(
  'the %s sample first adds the resources that its request refers to, and uses their exact ids',
  async (language) => {
    const printed = await runSample(markup, language, target);
    expect(received).toEqual(
      [
        '/keepers Bearer k application/json { "name": "Ann" }',
        '/towns Bearer k application/json { "name": "Y" }',
        '/shelters Bearer k application/json { "ownId": "a b" }',
        `/animals Bearer k application/json { "name": "R'ex", "keeperId": 9007199254740993, "ownId": 7, "shelterId": -3 }`,
      ].map((request) => `POST /v3${request}`),
    );
    expect(printed).toContain('x');
  },
);

test('a Go sample declares a variable for each addition, in the order of the requests', () => {
  const code = goCode(markup);
  expect(code).toContain('var keeperId, ownId, shelterId string');
  expect(code.match(/\w+ = string\(added\.ID\)/g)).toEqual(
    ['keeperId', 'ownId', 'shelterId'].map((name) => `${name} = string(added.ID)`),
  );
  expect(code).toContain('"keeperId": `+keeperId+`');
});
