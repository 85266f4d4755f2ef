import { expect, test } from 'vitest';
import { renderReference } from '../src/reference.ts';

/** A document with texts that look like markup. */
const DOCUMENT = `{
  "info": { "title": "Things & more", "version": "1" },
  "servers": [{ "url": "https://example.com/v1" }],
  "tags": [{ "name": "things", "description": "<b>Not</b> bold: [run](javascript:alert) ![seen](https://spy.example/x.png) [read](https://example.com/?a=\\"b\\")" }],
  "paths": { "/things/{id}": { "put": {
    "operationId": "putThing", "tags": ["things"], "summary": "Put",
    "requestBody": { "content": { "application/json": {
      "schema": { "properties": { "colour": {
        "allOf": [{ "$ref": "#/components/schemas/Colour" }], "description": "Its paint."
      }, "made": {
        "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }], "description": "When it was."
      } } },
      "example": {}
    } } },
    "responses": { "200": {
      "description": "Done.",
      "content": { "application/json": {} },
      "headers": { "Age": { "$ref": "#/components/headers/Years" }, "Etag": {} }
    } }
  } } },
  "components": { "schemas": { "Colour": { "type": "string", "enum": ["red"], "default": "red" } }, "headers": { "Years": { "description": "Since it was made." } } }
}`;

const { markup } = renderReference(DOCUMENT).content;

test('markup in a document is shown as text', () => {
  expect(markup).toContain('<h1>Things &amp; more');
  expect(markup).toContain('&lt;b&gt;Not&lt;/b&gt; bold');
});

test('only links to web pages become links, and images become their alternative text', () => {
  expect(markup).not.toMatch(/javascript:|spy\.example/);
  expect(markup).toContain(': run seen <a href="https://example.com/?a=%22b%22">read</a>');
});

test('a member shows the schema that its allOf refers to, and whether it is nullable', () => {
  expect(markup).toMatch(
    /<code>colour<\/code>\s*<span class="facts"\s*><a href="#\/schemas\/Colour">Colour<\/a> · string · red · default red</,
  );
  expect(markup).toMatch(/<code>made<\/code>\s*<span class="facts"\s*>string \(date\) · or null</);
});

test('response headers link to their descriptions', () => {
  expect(markup).toContain('<a href="#/headers/Years"><code>Age</code></a> <code>Etag</code> </p>');
  // The description of the header also has its name, not the name of the component.
  expect(markup).toMatch(/<div id="\/headers\/Years">\s*<dt>\s*<code>Age<\/code>/);
  expect(markup.split('Since it was made.')).toHaveLength(2);
});

test.each<readonly [string, readonly object[] | undefined, string]>([
  ['its own scopes', [{ bearer: ['things', 'more'] }], 'things more'],
  [
    'the scopes of all schemes that it needs',
    [{ bearer: ['things'], other: ['more'] }],
    'things more',
  ],
  ['the scopes of the first alternative', [{ bearer: ['things'] }, { other: ['more'] }], 'things'],
  ['the scopes of the document if it declares none', undefined, 'read'],
  ['no scopes if it needs none', [], ''],
])('an operation in the API reference shows %s', (_, own, scopes) => {
  const { content } = renderReference(
    JSON.stringify({
      tags: [{ name: 'things' }],
      security: [{ bearer: ['read'] }],
      paths: { '/things': { get: { operationId: 'get', tags: ['things'], security: own } } },
    }),
  );
  expect(content.markup).toContain(`data-scopes="${scopes}"`);
  const told = />scopes? <code>([^<]*)<\/code>/.exec(content.markup)?.[1] ?? '';
  expect(told).toBe(scopes);
});

const operation = (operationId: string, more: object) => ({
  operationId,
  tags: ['books'],
  summary: operationId,
  ...more,
});
const NO_KEY = { 401: { $ref: '#/components/responses/NoKey' } };
const BOOK = {
  get: operation('read', {
    'x-stability': 'stable',
    responses: { ...NO_KEY, 400: { description: 'Not valid.' } },
  }),
  patch: operation('change', {
    'x-stability': 'beta',
    parameters: [
      { name: 'If-Match', in: 'header', required: true, schema: { examples: ['"v1"'] } },
    ],
    responses: NO_KEY,
  }),
  delete: operation('remove', {
    'x-stability': 'experimental',
    deprecated: true,
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
const BOOKS = JSON.stringify({
  info: { title: 'A library', version: '1' },
  servers: [{ url: '../v3' }],
  tags: [{ name: 'books' }],
  paths: { '/books/{id}': BOOK },
  components: {
    responses: { NoKey: { description: 'No key.' } },
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

const { navigation, content } = renderReference(BOOKS);

/** The section of the page for an operation. */
function sectionOf(operationId: string): string {
  const [, section = ''] = content.markup.split(
    `<section class="operation" id="/books/${operationId}"`,
  );
  return section.split('</section>')[0] ?? '';
}

test('experimental, beta and deprecated operations have badges in their section and in the navigation', () => {
  expect(badges(headOf('read'))).toEqual([]);
  expect(badges(headOf('change'))).toEqual(['beta']);
  expect(badges(headOf('remove'))).toEqual(['experimental', 'deprecated']);
  expect(badges(navigation.markup)).toEqual(['beta', 'experimental', 'deprecated']);
});

function badges(html: string) {
  return Array.from(html.matchAll(/<span class="badge \w+">(\w+)</g), ([, word]) => word);
}

function headOf(operationId: string): string {
  return sectionOf(operationId).split('</header>')[0] ?? '';
}

test('the page states that a response has no body', () => {
  const [, remove = ''] = sectionOf('remove').split('<figcaption>');
  expect(remove.split('</figure>')[0]).toMatch(
    /204<\/span\s*> <span class="facts">without a body</,
  );
  expect(remove.split('</figure>')[0]).not.toContain('<pre>');
  expect(sectionOf('remove')).toMatch(
    /Removed\.<\/span>\s*<\/summary>\s*<p class="facts">No body\.<\/p>/,
  );
});

test('the request form marks a required header as required', () => {
  expect(sectionOf('change')).toMatch(
    /<input\s+id="\/books\/change\/If-Match"\s+data-place="header"\s+name="If-Match"\s+value="&quot;v1&quot;"[^>]* required/,
  );
});

test.each([
  ['../v1', '/v1/books/{id}'],
  ['/v1/', '/v1/books/{id}'],
  ['https://example.com/library/v1', '/library/v1/books/{id}'],
  ['https://example.com', '/books/{id}'],
])('the path of the server URL %s is part of the operation address %s', (url, address) => {
  const reference = renderReference(BOOKS.replace('../v3', url));
  expect(reference.content.markup).toContain(`<code>${address}</code>`);
});

test('the documentation of a response lists its error codes with their meanings', () => {
  const [, table = ''] = sectionOf('remove').split('<table class="meanings">');
  expect(table.split('</table>')[0]).toMatch(
    /<a href="#\/schemas\/Code\/NO_BOOK"><code>NO_BOOK<\/code><\/a>[^]*No book has this <code>id<\/code>\./,
  );
  expect(table.split('</table>')[0]).not.toContain('ON_LOAN');
});

test('an enum with described values has a table of them, and the search finds each value by its meaning', () => {
  const [, schema = ''] = content.markup.split('id="/schemas/Code"');
  expect(schema).toMatch(/<tr id="\/schemas\/Code\/ON_LOAN">[^]*Somebody has it\./);
  expect(navigation.markup).toMatch(
    /<li class="detail" data-words="Somebody has it\." hidden>\s*<a href="#\/schemas\/Code\/ON_LOAN">/,
  );
});

test('responses shared by several operations are folded into one line after the other responses', () => {
  const [, own = '', folded = ''] = sectionOf('read').split(
    /<h4>Responses<.h4>|Shared with other operations:/,
  );
  expect(own).toContain('Not valid.');
  expect(own).not.toContain('No key.');
  expect(folded).toContain('No key.');
  expect(folded).not.toContain('Not valid.');
});
