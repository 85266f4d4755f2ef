import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { renderReference } from '../../src/reference.ts';
import { runSample, SAMPLE_LANGUAGES } from '../../../../test/support/documentation/run-sample.ts';

const ID = { name: 'id', in: 'path', required: true, schema: { examples: [7] } };
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: true,
  description: 'The tag of the version to change.',
  schema: { examples: ['"v1"'] },
};
const RESULT = { content: { 'application/json': { schema: {}, example: { id: 7 } } } };
const body = (mediaType: string) => ({
  content: { [mediaType]: { example: { title: 'Ulysses' } } },
});

const operation = (operationId: string, more: object) => ({
  operationId,
  tags: ['books'],
  summary: operationId,
  ...more,
});
const BOOK = {
  get: operation('read', { parameters: [ID], responses: { 200: RESULT } }),
  put: operation('replace', {
    'x-stability': 'stable',
    parameters: [ID, IF_MATCH],
    requestBody: body('application/json'),
    responses: { 200: RESULT },
  }),
  patch: operation('change', {
    'x-stability': 'beta',
    parameters: [ID, IF_MATCH],
    requestBody: body('application/merge-patch+json'),
    responses: { 200: RESULT },
  }),
  delete: operation('remove', {
    'x-stability': 'experimental',
    deprecated: true,
    parameters: [ID, IF_MATCH],
    responses: {
      204: { description: 'Removed.' },
      404: {
        description: 'Not there.',
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: { none: { value: { code: 'NO_BOOK', detail: 'There is no book 7' } } },
          },
        },
      },
    },
  }),
};
const DOCUMENT = JSON.stringify({
  info: { title: 'A library', version: '1' },
  servers: [{ url: '../v3' }],
  tags: [{ name: 'books' }],
  paths: { '/books/{id}': BOOK },
  components: {
    schemas: {
      Problem: {
        properties: { code: { $ref: '#/components/schemas/Code' }, detail: { type: 'string' } },
      },
      Code: {
        enum: ['NO_BOOK', 'ON_LOAN'],
        'x-enumDescriptions': { NO_BOOK: 'No book has this `id`.', ON_LOAN: 'Somebody has it.' },
      },
    },
  },
});

const { navigation, content } = renderReference(DOCUMENT);

/** The part of the page about an operation. */
function sectionOf(operationId: string): string {
  const [, section = ''] = content.markup.split(
    `<section class="operation" id="/books/${operationId}"`,
  );
  return section.split('</section>')[0] ?? '';
}

const received: string[] = [];
const server = createServer((request, response) => {
  const record = async (): Promise<void> => {
    const { method, url, headers } = request;
    const facts = [headers['if-match'], headers['content-type'], await text(request)];
    received.push([method, url, ...facts.filter(Boolean)].join(' '));
    const hasResult = method !== 'DELETE';
    response.writeHead(hasResult ? 200 : 204).end(hasResult ? '{"id":7}' : undefined);
  };
  void record();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
const { port } = server.address() as AddressInfo;

test.each(
  SAMPLE_LANGUAGES.flatMap((language) =>
    [
      ['read', 'GET /v3/books/7', '7'],
      ['replace', 'PUT /v3/books/7 "v1" application/json { "title": "Ulysses" }', '7'],
      ['change', 'PATCH /v3/books/7 "v1" application/merge-patch+json { "title": "Ulysses" }', '7'],
      ['remove', 'DELETE /v3/books/7 "v1"', '204'],
    ].map(([name = '', request, printed]) => [language, name, request, printed] as const),
  ),
)(
  'the %s sample of %s sends it, and prints what comes',
  async (language, name, request, printed) => {
    received.length = 0;
    const output = await runSample(sectionOf(name), language, {
      key: 'k',
      server: `http://127.0.0.1:${port}/v3`,
    });
    expect(received).toEqual([request]);
    expect(output).toContain(printed);
  },
);

test('a sample in Go of a request without a body has none', () => {
  expect(sectionOf('remove')).toContain(
    'http.NewRequest(&quot;DELETE&quot;, &quot;BASE_URL/books/7&quot;, nil)',
  );
});

test('what is experimental, beta or deprecated has a badge, in the navigation too; what is stable has none', () => {
  expect(['read', 'replace'].map((name) => badges(headOf(name)))).toEqual([[], []]);
  expect(badges(headOf('change'))).toEqual(['beta']);
  expect(badges(headOf('remove'))).toEqual(['experimental', 'deprecated']);
  expect(badges(navigation.markup)).toEqual(['beta', 'experimental', 'deprecated']);
});

function badges(markup: string) {
  return Array.from(markup.matchAll(/<span class="badge \w+">(\w+)</g), ([, word]) => word);
}

function headOf(operationId: string): string {
  return sectionOf(operationId).split('</header>')[0] ?? '';
}

test('a response without a body says so', () => {
  const [, remove = ''] = sectionOf('remove').split('<figcaption>');
  expect(remove.split('</figure>')[0]).toMatch(
    /204<\/span\s*> <span class="facts">without a body</,
  );
  expect(remove.split('</figure>')[0]).not.toContain('<pre>');
  expect(sectionOf('remove')).toMatch(
    /Removed\.<\/span>\s*<\/summary>\s*<p class="facts">No body\.<\/p>/,
  );
});

test('a header that is required is asked for by the form', () => {
  expect(sectionOf('change')).toMatch(
    /<input\s+id="\/books\/change\/If-Match"\s+data-place="header"\s+name="If-Match"\s+value="&quot;v1&quot;"[^>]* required/,
  );
});

test.each([
  ['../v1', '/v1/books/{id}'],
  ['/v1/', '/v1/books/{id}'],
  ['https://example.com/library/v1', '/library/v1/books/{id}'],
  ['https://example.com', '/books/{id}'],
])('the path of the server %s makes an address %s', (url, address) => {
  const { markup } = renderReference(DOCUMENT.replace('../v3', url)).content;
  expect(markup).toContain(`<code>${address}</code>`);
});

test('a response has a table of the codes that it may have, and what they mean', () => {
  const [, table = ''] = sectionOf('remove').split('<table class="meanings">');
  expect(table.split('</table>')[0]).toMatch(
    /<a href="#\/schemas\/Code\/NO_BOOK"><code>NO_BOOK<\/code><\/a>[^]*No book has this <code>id<\/code>\./,
  );
  expect(table.split('</table>')[0]).not.toContain('ON_LOAN');
});

test('a schema of described values has a table of all, and the search finds each by its meaning', () => {
  const [, schema = ''] = content.markup.split('id="/schemas/Code"');
  expect(schema).toMatch(/<tr id="\/schemas\/Code\/ON_LOAN">[^]*Somebody has it\./);
  expect(navigation.markup).toMatch(
    /<li class="detail" data-words="Somebody has it\." hidden>\s*<a href="#\/schemas\/Code\/ON_LOAN">/,
  );
});
