import { expect, test } from 'vitest';
import { renderReference } from '../../src/reference.ts';

/** A document whose texts have all that a language quotes. */
const DOCUMENT = `{
  "info": { "title": "Things & more", "version": "1" },
  "servers": [{ "url": "https://example.com/v1" }],
  "tags": [{ "name": "things", "description": "<b>Not</b> bold: [run](javascript:alert) ![seen](https://spy.example/x.png) [read](https://example.com/?a=\\"b\\")" }],
  "paths": { "/things/{id}": { "put": {
    "operationId": "putThing", "tags": ["things"], "summary": "Put",
    "parameters": [
      { "name": "id", "in": "path", "required": true, "schema": { "examples": ["a/b"] } },
      { "name": "dry", "in": "query", "schema": { "default": "it's" } },
      { "name": "unsent", "in": "query", "schema": { "examples": ["never"] } }
    ],
    "requestBody": { "content": { "application/json": {
      "schema": { "properties": { "colour": {
        "allOf": [{ "$ref": "#/components/schemas/Colour" }], "description": "Its paint."
      }, "made": {
        "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }], "description": "When it was."
      } } },
      "example": { "size": 9223372036854775807, "name": "O'Neill \\"\\\\\\" \`x\`" }
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

function sample(language: string): string {
  const [, code = ''] = markup.split(`<pre data-language="${language}"><code>`);
  return (code.split('</code>')[0] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

test('curl quotes for a shell', () => {
  expect(sample('curl'))
    .toBe(String.raw`curl -X PUT 'https://example.com/v1/things/a%2Fb?dry=it'\''s' \
  -H "Authorization: Bearer $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{ "size": 9223372036854775807, "name": "O'\''Neill \"\\\" ${'`x`'}" }'`);
});

test('JavaScript keeps the digits both ways', () => {
  const code = sample('JavaScript');
  expect(code).toContain(String.raw`fetch('https://example.com/v1/things/a%2Fb?dry=it\'s', {
  method: 'PUT',`);
  expect(code).toContain(
    String.raw`  body: '{ "size": 9223372036854775807, "name": "O\'Neill \\"\\\\\\" ${'`x`'}" }',`,
  );
  expect(code).toContain('BigInt(source)');
});

test('Python', () => {
  expect(sample('Python')).toBe(String.raw`import json, os
from urllib.request import Request, urlopen

request = Request(
    "https://example.com/v1/things/a%2Fb?dry=it's",
    method="PUT",
    headers={
        "Authorization": "Bearer " + os.environ["API_KEY"],
        "Content-Type": "application/json",
    },
    data='{ "size": 9223372036854775807, "name": "O\'Neill \\"\\\\\\" ${'`x`'}" }'.encode(),
)
with urlopen(request) as response:
    print(response.status, json.load(response))`);
});

test('Go, as gofmt has it', () => {
  expect(sample('Go')).toBe(String.raw`package main

import (
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	request, err := http.NewRequest("PUT", "https://example.com/v1/things/a%2Fb?dry=it's", strings.NewReader("{ \"size\": 9223372036854775807, \"name\": \"O'Neill \\\"\\\\\\\" ${'`x`'}\" }"))
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

test('what a document says is text, not markup', () => {
  expect(markup).toContain('<h1>Things &amp; more');
  expect(markup).toContain('&lt;b&gt;Not&lt;/b&gt; bold');
});

test('of links, only those that lead to pages are links, and images are their text', () => {
  expect(markup).not.toMatch(/javascript:|spy\.example/);
  expect(markup).toContain(': run seen <a href="https://example.com/?a=%22b%22">read</a>');
});

test('a reference within allOf is what it refers to', () => {
  expect(markup).toMatch(
    /<code>colour<\/code>\s*<span class="facts"\s*><a href="#\/schemas\/Colour">Colour<\/a> · string · red · default red</,
  );
});

test('an alternative to null is what it is otherwise', () => {
  expect(markup).toMatch(/<code>made<\/code>\s*<span class="facts"\s*>string \(date\) · or null</);
});

test('headers lead to where they are described', () => {
  expect(markup).toContain('<a href="#/headers/Years"><code>Age</code></a> <code>Etag</code> </p>');
  // Where it is described it has the same name, not that of the component.
  expect(markup).toMatch(/<div id="\/headers\/Years">\s*<dt>\s*<code>Age<\/code>/);
  expect(markup.split('Since it was made.')).toHaveLength(2);
});

test.each<
  readonly [string, readonly unknown[] | undefined, readonly unknown[] | undefined, string]
>([
  ['of its own', [{ bearer: ['things', 'more'] }], [{ bearer: ['read'] }], 'things more'],
  [
    'of all schemes that it needs',
    [{ bearer: ['things'], other: ['more'] }],
    undefined,
    'things more',
  ],
  ['of the first alternative', [{ bearer: ['things'] }, { other: ['more'] }], undefined, 'things'],
  ['of the document', undefined, [{ bearer: ['read'] }], 'read'],
  ['if it needs none', [], [{ bearer: ['read'] }], ''],
])('an operation tells the scopes %s', (_, own, shared, scopes) => {
  const { content } = renderReference(
    JSON.stringify({
      tags: [{ name: 'things' }],
      security: shared,
      paths: { '/things': { get: { operationId: 'get', tags: ['things'], security: own } } },
    }),
  );
  expect(content.markup).toContain(`data-scopes="${scopes}"`);
  const told = />scopes? <code>([^<]*)<\/code>/.exec(content.markup)?.[1] ?? '';
  expect(told).toBe(scopes);
});
