import { readFile } from 'node:fs/promises';
import { isJsonObject } from '@gateway/exact-json/json';
import { resolve } from './json-schema.ts';

type JsonObject = Record<string, unknown>;

export interface DocumentedResponse {
  readonly headers: Readonly<JsonObject>;
  /** Undefined if there is no body. */
  readonly schema: unknown;
  readonly examples: readonly unknown[];
  /** Of what was added: the members of other requests that take its id, by operation. */
  readonly links: ReadonlyMap<string, readonly string[]>;
}

export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** Base address included, with {parameters}. */
  readonly path: string;
  readonly parameters: readonly Readonly<JsonObject>[];
  readonly body: { readonly schema: JsonObject; readonly example: JsonObject } | undefined;
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
}

/** What the file openapi.json holds. */
export const document: unknown = JSON.parse(
  await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'),
);

/** Where the server is that the document names, relative to the document's own address. */
const BASE_PATH = new URL(String(at('servers', 0, 'url')), 'http://localhost/v1/openapi.json')
  .pathname;

/** What is at a path in the document, references followed; undefined if there is nothing. */
export function at(...path: readonly (string | number)[]): unknown {
  return path.reduce((value, name) => referred(isMap(value) ? value[name] : undefined), document);
}

/** Every operation of the document. */
export const operations: readonly DocumentedOperation[] = Object.keys(object(at('paths'))).flatMap(
  (path) => Object.keys(object(at('paths', path))).map((method) => operation(path, method)),
);

/** The status of an operation's success. */
export function successOf({ responses }: DocumentedOperation): number {
  return [...responses.keys()].find((status) => status < 300) ?? 0;
}

function operation(path: string, method: string): DocumentedOperation {
  const here = ['paths', path, method];
  const { parameters = [], requestBody, operationId, responses } = object(at(...here));
  const content = [...here, 'requestBody', 'content', 'application/json'];
  return {
    id: String(operationId),
    method: method.toUpperCase(),
    path: `${BASE_PATH}${path}`,
    parameters: Array.isArray(parameters) ? parameters.map(object) : [],
    body:
      requestBody === undefined
        ? undefined
        : { schema: object(at(...content, 'schema')), example: object(at(...content, 'example')) },
    responses: new Map(
      Object.keys(object(responses)).map((status) => [
        Number(status),
        response([...here, 'responses', status]),
      ]),
    ),
  };
}

function response(here: readonly string[]): DocumentedResponse {
  const content = object(at(...here, 'content', 'application/json') ?? {});
  return {
    headers: Object.fromEntries(
      Object.keys(object(at(...here, 'headers'))).map((name) => [
        name.toLowerCase(),
        at(...here, 'headers', name),
      ]),
    ),
    links: new Map(
      Object.values(object(at(...here, 'links') ?? {})).map((link) => [
        String(object(link)['operationId']),
        Object.keys(object(object(link)['requestBody'])),
      ]),
    ),
    schema: content['schema'],
    examples:
      'example' in content
        ? [content['example']]
        : Object.values(object(content['examples'] ?? {})).map(
            (example) => object(example)['value'],
          ),
  };
}

function referred(value: unknown): unknown {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  return typeof reference === 'string' ? resolve(document, reference) : value;
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** @throws if it is none */
export function object(value: unknown): JsonObject {
  if (!isJsonObject(value)) {
    throw new TypeError(`not an object: ${JSON.stringify(value)}`);
  }
  return value;
}
