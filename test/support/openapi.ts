import { readFile } from 'node:fs/promises';
import { isJsonObject, parseExactly } from '@store-gateway/ops';
import type { Answer, Gateway } from './gateway.ts';

type JsonObject = Record<string, unknown>;

/** What is at a path in a document, references followed; undefined if there is nothing. */
type Look = (...path: readonly (string | number)[]) => unknown;

export type Contract = ReturnType<typeof contractOf>;

/** What an OpenAPI document says, for tests. */
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

/** That of the file openapi.json. */
export const { document, at, operations } = contractOf(
  JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')),
);

/** The status of an operation's success. */
export function successOf({ responses }: DocumentedOperation): number {
  return [...responses.keys()].find((status) => status < 300) ?? 0;
}

export type DocumentedOperation = ReturnType<typeof operationAt>;

function operationAt(look: Look, path: string, method: string) {
  // Where the server is that the document names, relative to the document's own address.
  const server = new URL(String(look('servers', 0, 'url')), 'http://localhost/v1/openapi.json');
  const here = ['paths', path, method];
  const { parameters = [], requestBody, operationId, responses } = object(look(...here));
  const [mediaType = ''] = Object.keys(object(look(...here, 'requestBody', 'content') ?? {}));
  const content = [...here, 'requestBody', 'content', mediaType];
  return {
    id: String(operationId),
    method: method.toUpperCase(),
    /** Base address included, with {parameters}. */
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
    /** Of what was added: the members of other requests that take its id, by operation. */
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

/** @throws if it is none */
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
 * What a value has against a JSON schema of an OpenAPI document, its numbers exact. A keyword that it
 * doesn't know is a fault too, so that nothing passes unjudged.
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
  // A schema that refers to another one leaves members and items to that.
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
    // A member that is told but not described is a fault: clients would not know it.
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

/** Keywords of strings and numbers have nothing to say of null. */
function isMet(keyword: string, limit: unknown, value: unknown): boolean {
  const check = CHECKS[keyword];
  const isJudged = value !== null || keyword === 'type' || keyword === 'enum';
  return check !== undefined && (!isJudged || check(value, limit));
}

/** What "#/components/schemas/Pet" is about. */
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

/** Headers of every response that the contract doesn't describe. */
export const UNTOLD: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
]);

/**
 * What is documented of an operation's answers of a status. What announces its end is on all but those that nobody has read,
 * and told with its success.
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

/** Only of a replay, if a body's encoding or type is refused, and of what a request has beyond its operation. */
const SOMETIMES = new Set([
  'idempotent-replayed',
  'accept-encoding',
  'accept-patch',
  'ignored-parameters',
  'preference-applied',
]);

/** What of an answer is otherwise than the document says. */
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

/** Whether a request was refused before anyone looked at whose it is, or what it wants. */
function isUnread(text: string): boolean {
  return text.includes('"code":"OVERLOADED"') || text.includes('cannot reach its database');
}

function isOptional(header: unknown): boolean {
  return isJsonObject(header) && header['required'] === false;
}

/** What is always as the example. */
const CONSTANT = new Set(['cache-control', 'deprecation', 'retry-after', 'sunset']);

/** What of a response's header is otherwise than openapi.json says. */
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

/** An operation with a body, and the members of that which refer to what another operation adds. */
interface Write {
  readonly operation: DocumentedOperation;
  readonly references: readonly { readonly member: string; readonly parent: DocumentedOperation }[];
}

/** The operations of a contract that have a body; what others refer to, by its links, comes before them. */
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
 * Adds the examples of all operations that add something.
 *
 * @returns by operation that takes one, a body that refers to the last that was added
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

/** The members of an operation's body that refer to other resources. */
export function referringMembers(id: string): string[] {
  const write = writes.find((each) => each.operation.id === id);
  return (write?.references ?? []).map(({ member }) => member);
}
