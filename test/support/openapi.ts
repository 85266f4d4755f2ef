import { readFile } from 'node:fs/promises';
import { isJsonObject, parseExactly } from '@store-gateway/ops';
import type { Answer, Gateway } from './gateway.ts';

type JsonObject = Record<string, unknown>;

/** Returns the value at a path in a document, following references, or undefined if there is nothing. */
type Look = (...path: readonly (string | number)[]) => unknown;

export type Contract = ReturnType<typeof contractOf>;

/** Returns a view of an OpenAPI document for tests. */
export function contractOf(contract: unknown) {
  const referred = (value: unknown): unknown => {
    const reference = isJsonObject(value) ? value['$ref'] : undefined;
    return typeof reference === 'string' ? resolve(contract, reference) : value;
  };
  const look: Look = (...path) =>
    path.reduce((value, name) => referred(isMap(value) ? value[name] : undefined), contract);
  return {
    document: contract,
    at: look,
    operations: Object.keys(object(look('paths'))).flatMap((path) =>
      Object.keys(object(look('paths', path))).map((method) => operationAt(look, path, method)),
    ),
  };
}

/** The contract in the file openapi.json. */
export const { document, at, operations } = contractOf(
  JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')),
);

/** Returns the status of an operation's success. */
export function successOf({ responses }: DocumentedOperation): number {
  return [...responses.keys()].find((status) => status < 300) ?? 0;
}

export type DocumentedOperation = ReturnType<typeof operationAt>;

function operationAt(look: Look, path: string, method: string) {
  // The URL of the server that the document names, relative to the document's own address.
  const server = new URL(String(look('servers', 0, 'url')), 'http://localhost/v1/openapi.json');
  const here = ['paths', path, method];
  const { parameters = [], requestBody, operationId, responses } = object(look(...here));
  const [mediaType = ''] = Object.keys(object(look(...here, 'requestBody', 'content') ?? {}));
  const content = [...here, 'requestBody', 'content', mediaType];
  return {
    id: String(operationId),
    method: method.toUpperCase(),
    /** The path including the base path, with {parameters}. */
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
        responseAt(look, [...here, 'responses', status]),
      ]),
    ),
  };
}

function responseAt(look: Look, here: readonly string[]) {
  const content = object(look(...here, 'content', 'application/json') ?? {});
  const headers: JsonObject = Object.fromEntries(
    Object.keys(object(look(...here, 'headers'))).map((name) => [
      name.toLowerCase(),
      look(...here, 'headers', name),
    ]),
  );
  return {
    headers,
    /** The members of other requests that take the created resource's id, by operation. */
    links: new Map(
      Object.values(object(look(...here, 'links') ?? {})).map((link) => [
        String(object(link)['operationId']),
        Object.keys(object(object(link)['requestBody'])),
      ]),
    ),
    /** Undefined if there is no body. */
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

/** @throws if the value is not an object */
export function object(value: unknown): JsonObject {
  if (!isJsonObject(value)) {
    throw new TypeError(`not an object: ${JSON.stringify(value)}`);
  }
  return value;
}

type Check = (value: unknown, limit: unknown) => boolean;

const FORMATS: Readonly<Record<string, (value: unknown) => boolean>> = {
  int32: (value) => Number(value) === (Number(value) | 0),
  int64: (value) => {
    const integer = BigInt(String(value));
    return BigInt.asIntN(64, integer) === integer;
  },
  date: (value) => {
    const day = new Date(`${String(value)}T00:00:00Z`);
    return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${String(value)}T`);
  },
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(String(value)) &&
    !Number.isNaN(Date.parse(String(value))),
  double: (value) => Number.isFinite(value),
  float: (value) => Number.isFinite(value),
  uuid: (value) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(String(value)),
  'uri-reference': (value) => URL.canParse(String(value), 'http://store'),
};

const CHECKS: Readonly<Record<string, Check>> = {
  type: (value, types) => [types].flat().includes(typeOf(value)),
  format: (value, format) => FORMATS[String(format)]?.(value) === true,
  enum: (value, values) => Array.isArray(values) && values.includes(value),
  minimum: (value, minimum) => Number(value) >= Number(minimum),
  maximum: (value, maximum) => Number(value) <= Number(maximum),
  minLength: (value, minimum) => Array.from(String(value)).length >= Number(minimum),
  maxLength: (value, maximum) => Array.from(String(value)).length <= Number(maximum),
  maxItems: (value, maximum) => Array.isArray(value) && value.length <= Number(maximum),
  pattern: (value, pattern) => new RegExp(String(pattern), 'u').test(String(value)),
};
const SAY_NOTHING_OF_A_VALUE = new Set([
  'description',
  'default',
  'examples',
  'x-enumDescriptions',
]);

/**
 * Returns how a value violates a JSON schema in an OpenAPI document; numbers are compared exactly. An unknown keyword
 * is a fault, too, so that nothing passes unchecked.
 */
export function schemaFaults(
  whole: unknown,
  schema: unknown,
  value: unknown,
  where = '$',
): string[] {
  if (!isJsonObject(schema)) {
    return [`${where}: no schema`];
  }
  const { $ref, anyOf, allOf = [], properties = {}, required = [], items, ...rest } = schema;
  const parts = [typeof $ref === 'string' ? resolve(whole, $ref) : [], allOf].flat();
  // If a schema refers to others, those check the members and items.
  const own = parts.length === 0 && anyOf === undefined ? value : undefined;
  const alternatives = (Array.isArray(anyOf) ? anyOf : []).map((one) =>
    schemaFaults(whole, one, value, where),
  );
  const members = isJsonObject(own) ? own : {};
  return [
    ...parts.flatMap((part) => schemaFaults(whole, part, value, where)),
    ...(alternatives.some((faults) => faults.length === 0) ? [] : alternatives.flat()),
    ...Object.entries(rest)
      .filter(([keyword]) => !SAY_NOTHING_OF_A_VALUE.has(keyword))
      .filter(([keyword, limit]) => !isMet(keyword, limit, value))
      .map(([keyword, limit]) => `${where}: ${keyword} ${String(limit)}`),
    ...(Array.isArray(required) ? required : [])
      .filter((name) => !Object.hasOwn(members, String(name)))
      .map((name) => `${where}: ${String(name)} is missing`),
    // An undescribed member is a fault, because clients would not know it.
    ...Object.entries(members).flatMap(([name, member]) =>
      schemaFaults(
        whole,
        isJsonObject(properties) ? properties[name] : undefined,
        member,
        `${where}.${name}`,
      ),
    ),
    ...(Array.isArray(own) ? own : []).flatMap((item, index) =>
      schemaFaults(whole, items, item, `${where}[${index}]`),
    ),
  ];
}

/** Keywords for strings and numbers do not apply to null. */
function isMet(keyword: string, limit: unknown, value: unknown): boolean {
  const check = CHECKS[keyword];
  const isJudged = value !== null || keyword === 'type' || keyword === 'enum';
  return check !== undefined && (!isJudged || check(value, limit));
}

/** Returns what a reference such as "#/components/schemas/Pet" refers to. */
export function resolve(whole: unknown, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce((value, name) => (isJsonObject(value) ? value[name] : undefined), whole);
}

function typeOf(value: unknown): string {
  if (typeof value === 'bigint' || Number.isInteger(value)) {
    return 'integer';
  }
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Response headers that the contract does not describe. */
export const UNTOLD: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
]);

/**
 * Returns the documentation of an operation's response with a status. Deprecation headers are documented with the
 * success, and are on all responses except to requests that were not read.
 */
export function documentedOf({ responses }: DocumentedOperation, status: number) {
  const response = responses.get(status);
  const success = responses.get(200)?.headers ?? {};
  const announcing = 'deprecation' in success ? ['deprecation', 'sunset', 'link'] : [];
  const announced: Record<string, unknown> = Object.fromEntries(
    announcing.map((name) => [name, { ...object(success[name]), required: false }]),
  );
  return response && { ...response, headers: { ...announced, ...response.headers } };
}

/** Headers that appear only in replays, in rejections of a body's encoding or type, and for optional features of requests. */
const SOMETIMES = new Set([
  'idempotent-replayed',
  'accept-encoding',
  'accept-patch',
  'ignored-parameters',
  'preference-applied',
]);

/** Returns how a response differs from the document. */
export function answerFaults(
  operation: DocumentedOperation,
  answer: Omit<Answer, 'json'>,
): string[] {
  const { status, headers, text } = answer;
  const documented = documentedOf(operation, status);
  if (documented === undefined) {
    return [`${status}: ${text}`];
  }
  const told = [...headers].filter(([name]) => !UNTOLD.has(name));
  const body: unknown = text === '' ? undefined : parseExactly(text);
  return [
    ...told.flatMap(([name, value]) => headerFaults(name, value, documented.headers[name])),
    ...Object.entries(documented.headers)
      .filter(([name]) => !headers.has(name) && !SOMETIMES.has(name))
      .filter(([, header]) => !(isUnread(text) && isOptional(header)))
      .map(([name]) => `${status}: no ${name}`),
    ...(documented.schema === undefined && body === undefined
      ? []
      : schemaFaults(document, documented.schema, body)),
    ...(headers.get('Content-Type') ===
    (body === undefined ? null : 'application/json; charset=utf-8')
      ? []
      : [`${status}: Content-Type`]),
  ];
}

/** Returns whether a request was rejected before its caller or operation was determined. */
function isUnread(text: string): boolean {
  return text.includes('"code":"OVERLOADED"') || text.includes('cannot reach its database');
}

function isOptional(header: unknown): boolean {
  return isJsonObject(header) && header['required'] === false;
}

/** Headers whose value always equals the example. */
const CONSTANT = new Set(['cache-control', 'deprecation', 'retry-after', 'sunset']);

/** Returns how a response header differs from openapi.json. */
function headerFaults(name: string, value: string, documented: unknown): string[] {
  const schema = isJsonObject(documented) ? documented['schema'] : undefined;
  const typed = isJsonObject(schema) && schema['type'] === 'integer' ? Number(value) : value;
  const differs =
    CONSTANT.has(name) && String(Reflect.get(Object(documented), 'example')) !== value;
  return [
    ...schemaFaults(document, schema, typed, name),
    ...(differs ? [`${name}: ${value}`] : []),
  ];
}

/** An operation with a body, and the body's members that refer to resources which other operations create. */
interface Write {
  readonly operation: DocumentedOperation;
  readonly references: readonly { readonly member: string; readonly parent: DocumentedOperation }[];
}

/**
 * Returns a contract's operations with a body. Operations whose resources others refer to, according to the links, come
 * first.
 */
export function writesOf({ operations: all }: Contract): readonly Write[] {
  const ordered = new Map<DocumentedOperation, Write>();
  const add = (operation: DocumentedOperation): void => {
    const references = all.flatMap((parent) =>
      (parent.responses.get(201)?.links.get(operation.id) ?? []).map((member) => ({
        member,
        parent,
      })),
    );
    references.filter(({ parent }) => parent !== operation).forEach(({ parent }) => add(parent));
    ordered.set(operation, { operation, references });
  };
  all.filter(({ body }) => body !== undefined).forEach(add);
  return [...ordered.values()];
}

const writes = writesOf({ document, at, operations });

/**
 * Sends the examples of all operations that create something.
 *
 * @returns a body for each operation that takes one; it refers to the last created resources
 */
export async function addExamples(
  { post }: Pick<Gateway, 'post'>,
  times: number,
): Promise<ReadonlyMap<string, Readonly<JsonObject>>> {
  const bodies = new Map<string, JsonObject>();
  const ids = new Map<DocumentedOperation, unknown>();
  for (const { operation: write, references } of writes) {
    const referring = references.map(({ member, parent }) => [member, ids.get(parent)] as const);
    const body = { ...write.body?.example, ...Object.fromEntries(referring) };
    bodies.set(write.id, body);
    for (let time = 0; time < times && write.responses.has(201); time += 1) {
      const { json } = await post(write.path, body);
      ids.set(write, isJsonObject(json) ? json['id'] : undefined);
    }
  }
  return bodies;
}

/** Returns the members of an operation's body that refer to other resources. */
export function referringMembers(id: string): string[] {
  const write = writes.find((each) => each.operation.id === id);
  return (write?.references ?? []).map(({ member }) => member);
}
