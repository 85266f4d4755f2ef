import { readFile } from 'node:fs/promises';
import { isJsonObject } from '@store-gateway/ops';
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

/** What an OpenAPI document says, for tests. */
export interface Contract {
  readonly document: unknown;
  /** What is at a path in the document, references followed; undefined if there is nothing. */
  readonly at: (...path: readonly (string | number)[]) => unknown;
  /** Every operation of the document. */
  readonly operations: readonly DocumentedOperation[];
}

export function contractOf(contract: unknown): Contract {
  const referred = (value: unknown): unknown => {
    const reference = isJsonObject(value) ? value['$ref'] : undefined;
    return typeof reference === 'string' ? resolve(contract, reference) : value;
  };
  const look: Contract['at'] = (...path) =>
    path.reduce((value, name) => referred(isMap(value) ? value[name] : undefined), contract);
  return {
    document: contract,
    at: look,
    operations: Object.keys(object(look('paths'))).flatMap((path) =>
      Object.keys(object(look('paths', path))).map((method) => operation(look, path, method)),
    ),
  };
}

/** That of the file openapi.json. */
export const { document, at, operations } = contractOf(
  JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')),
);

/** The status of an operation's success. */
export function successOf({ responses }: DocumentedOperation): number {
  return [...responses.keys()].find((status) => status < 300) ?? 0;
}

function operation(look: Contract['at'], path: string, method: string): DocumentedOperation {
  // Where the server is that the document names, relative to the document's own address.
  const server = new URL(String(look('servers', 0, 'url')), 'http://localhost/v1/openapi.json');
  const here = ['paths', path, method];
  const { parameters = [], requestBody, operationId, responses } = object(look(...here));
  const [mediaType = ''] = Object.keys(object(look(...here, 'requestBody', 'content') ?? {}));
  const content = [...here, 'requestBody', 'content', mediaType];
  return {
    id: String(operationId),
    method: method.toUpperCase(),
    path: `${server.pathname}${path}`,
    parameters: Array.isArray(parameters) ? parameters.map(object) : [],
    body:
      requestBody === undefined
        ? undefined
        : {
            schema: object(look(...content, 'schema')),
            example: object(look(...content, 'example')),
          },
    responses: new Map(
      Object.keys(object(responses)).map((status) => [
        Number(status),
        response(look, [...here, 'responses', status]),
      ]),
    ),
  };
}

function response(look: Contract['at'], here: readonly string[]): DocumentedResponse {
  const content = object(look(...here, 'content', 'application/json') ?? {});
  return {
    headers: Object.fromEntries(
      Object.keys(object(look(...here, 'headers'))).map((name) => [
        name.toLowerCase(),
        look(...here, 'headers', name),
      ]),
    ),
    links: new Map(
      Object.values(object(look(...here, 'links') ?? {})).map((link) => [
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
