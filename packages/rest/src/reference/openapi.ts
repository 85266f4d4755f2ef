import { isJsonObject, parseExactly } from '@store-gateway/ops';

/** An object in a document. */
type Node = Readonly<Record<string, unknown>>;

export interface OpenApi {
  readonly root: Node;
  /**
   * Resolves a reference, or a schema with `allOf` or `anyOf`, and merges its siblings, which take precedence. Any other object
   * is returned unchanged.
   */
  readonly resolve: (value: unknown) => Node;
}

export function readOpenApi(text: string): OpenApi {
  const root = nodeOf(parseExactly(text));
  const resolve = (value: unknown): Node => {
    const { $ref, allOf, anyOf, ...siblings } = nodeOf(value);
    const part = partOf(allOf, anyOf);
    if (part !== undefined) {
      return { ...resolve(part), ...siblings };
    }
    if (typeof $ref !== 'string') {
      return siblings;
    }
    const target = $ref
      .slice('#/'.length)
      .split('/')
      .reduce((node, name) => nodeOf(node[name.replaceAll('~1', '/').replaceAll('~0', '~')]), root);
    return { ...resolve(target), ...siblings };
  };
  return { root, resolve };
}

/** Returns the only schema in `allOf`, or the schema in `anyOf` that doesn't represent null. */
function partOf(allOf: unknown, anyOf: unknown): unknown {
  return listOf(allOf)[0] ?? listOf(anyOf).find((schema) => nodeOf(schema)['type'] !== 'null');
}

/** Whether a schema allows null as an alternative. */
function isNullable(value: unknown): boolean {
  return listOf(nodeOf(value)['anyOf']).some((schema) => nodeOf(schema)['type'] === 'null');
}

/** Returns the name of the component that a value refers to, directly or within `allOf` or `anyOf`. */
export function componentOf(value: unknown): string | undefined {
  const { $ref, allOf, anyOf } = nodeOf(value);
  if (typeof $ref === 'string') {
    return $ref.split('/').at(-1);
  }
  const part = partOf(allOf, anyOf);
  return part === undefined ? undefined : componentOf(part);
}

/** Returns the components of a kind, by name. */
export function componentsOf(
  { root }: OpenApi,
  kind: 'schemas' | 'headers',
): readonly (readonly [name: string, component: unknown])[] {
  return Object.entries(nodeOf(nodeOf(root['components'])[kind]));
}

/** Returns the value if it is an object, otherwise an empty object. */
export function nodeOf(value: unknown): Node {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the examples of a media type or a parameter: its own, or else those of its schema. */
function examplesOf(node: Node): readonly unknown[] {
  const named = Object.values(nodeOf(node['examples'])).map((example) => nodeOf(example)['value']);
  const own = node['example'] === undefined ? named : [node['example'], ...named];
  return own.length > 0 ? own : listOf(nodeOf(node['schema'])['examples']);
}

/** Writes a value as JSON on one line, spaced for readability. */
export function inlineYaml(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(inlineYaml).join(', ')}]`;
  }
  const members = Object.entries(nodeOf(value)).map(
    ([name, member]) => `${JSON.stringify(name)}: ${inlineYaml(member)}`,
  );
  return members.length > 0 ? `{ ${members.join(', ')} }` : toJson(value);
}

export function inLines(value: unknown): string {
  return toJson(value, 2);
}

/** Writes a string unchanged, and anything else as JSON on one line. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? value : inlineYaml(value);
}

/** Writes JSON with all digits of large integers, which are bigints here. */
function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, exact, indent);
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}

/** The members of a Path Item Object that are operations. */
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly deprecated: boolean;
  /** The schema, unresolved: it may be a `$ref`. */
  readonly schema: unknown;
  /** The value that is sent by default. */
  readonly value: string;
}

interface Body {
  readonly mediaType: string;
  readonly description: string;
  readonly schema: unknown;
  readonly example: unknown;
}

/**
 * A resource that must exist before an operation is called. The operation that adds the resource has a Link Object, which names
 * the member that takes the resource's id.
 */
interface Prerequisite {
  readonly member: string;
  readonly addedBy: Operation;
}

interface Response {
  readonly status: string;
  readonly description: string;
  /** Whether other operations refer to the same response. */
  readonly isShared: boolean;
  /** The response's headers, by name, unresolved. */
  readonly headers: Node;
  readonly hasBody: boolean;
  readonly schema: unknown;
  readonly examples: readonly unknown[];
}

export interface Operation {
  /** The URL fragment of the operation's section: `/tag/operationId`. */
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly stability: string;
  readonly deprecated: boolean;
  /** The scopes that a key needs. */
  readonly scopes: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly responses: readonly Response[];
  /** The resources that members of the body refer to. */
  readonly prerequisites: readonly Prerequisite[];
}

/** Returns all operations, in the order of the document. */
export function operationsOf(openApi: OpenApi): Operation[] {
  const shared = sharedResponses(openApi);
  const prerequisites = new Map<string, Prerequisite[]>();
  const operations = Object.entries(nodeOf(openApi.root['paths'])).flatMap(([path, item]) =>
    Object.entries(nodeOf(item)).flatMap(([method, value]) => {
      const node = nodeOf(value);
      const operationId = textOf(node['operationId']);
      const own: Prerequisite[] = [];
      prerequisites.set(operationId, own);
      const at = { path, method, shared, prerequisites: own };
      return METHODS.has(method) ? [{ node, operation: operationOf(openApi, at, node) }] : [];
    }),
  );
  for (const { node, operation } of operations) {
    for (const [operationId, member] of linkedMembers(openApi, node)) {
      prerequisites.get(operationId)?.push({ member, addedBy: operation });
    }
  }
  return operations.map(({ operation }) => operation);
}

/**
 * Returns the operations whose bodies take the id from a response, each with the member that takes the id (OpenAPI 3.1, Link
 * Object).
 */
function linkedMembers({ resolve }: OpenApi, { responses }: Node): (readonly [string, string])[] {
  return Object.values(nodeOf(responses)).flatMap((response) =>
    Object.values(nodeOf(resolve(response)['links'])).flatMap((value) => {
      const { operationId, requestBody } = resolve(value);
      return Object.entries(nodeOf(requestBody))
        .filter(([, expression]) => expression === '$response.body#/id')
        .map(([member]) => [textOf(operationId), member] as const);
    }),
  );
}

interface Place extends Pick<Operation, 'path' | 'method' | 'prerequisites'> {
  readonly shared: ReadonlySet<string>;
}

function operationOf(
  openApi: OpenApi,
  { path, method, shared, prerequisites }: Place,
  node: Node,
): Operation {
  const { resolve } = openApi;
  const tag = textOf(listOf(node['tags'])[0]);
  const body = resolve(node['requestBody']);
  const [content] = Object.entries(nodeOf(body['content']));
  return {
    id: `/${tag}/${textOf(node['operationId'])}`,
    tag,
    method: method.toUpperCase(),
    path,
    summary: textOf(node['summary']),
    description: textOf(node['description']),
    stability: textOf(node['x-stability']),
    deprecated: node['deprecated'] === true,
    scopes: scopesOf(node['security'] ?? openApi.root['security']),
    parameters: listOf(node['parameters']).map((parameter) =>
      parameterOf(resolve(parameter), resolve),
    ),
    body: content && {
      mediaType: content[0],
      description: textOf(body['description']),
      schema: nodeOf(content[1])['schema'],
      example: examplesOf(nodeOf(content[1]))[0],
    },
    responses: responsesOf(openApi, node, shared),
    prerequisites,
  };
}

/** Returns all scopes in the first of the alternative requirements (OpenAPI 3.1, Security Requirement Object). */
function scopesOf(security: unknown): readonly string[] {
  return Object.values(nodeOf(listOf(security)[0])).flatMap((scopes) => listOf(scopes).map(textOf));
}

function parameterOf(node: Node, resolve: OpenApi['resolve']): Parameter {
  const place = node['in'];
  const schema = resolve(node['schema']);
  const required = node['required'] === true;
  const value = schema['default'] ?? (required ? examplesOf({ ...node, schema })[0] : undefined);
  return {
    name: textOf(node['name']),
    place: place === 'path' || place === 'query' ? place : 'header',
    required,
    description: textOf(node['description']),
    deprecated: node['deprecated'] === true,
    schema: node['schema'],
    value: value === undefined ? '' : inWords(value),
  };
}

/** Returns the response components that several operations refer to. */
function sharedResponses({ root }: OpenApi): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const operation of Object.values(nodeOf(root['paths'])).map(nodeOf).flatMap(Object.values)) {
    for (const response of Object.values(nodeOf(nodeOf(operation)['responses']))) {
      const name = componentOf(response);
      if (name !== undefined) {
        (seen.has(name) ? shared : seen).add(name);
      }
    }
  }
  return shared;
}

/** @param shared the result of `sharedResponses` */
function responsesOf(
  { resolve }: OpenApi,
  { responses }: Node,
  shared: ReadonlySet<string>,
): Response[] {
  return Object.entries(nodeOf(responses)).map(([status, value]) => {
    const node = resolve(value);
    const [content] = Object.values(nodeOf(node['content']));
    return {
      status,
      description: textOf(node['description']),
      isShared: shared.has(componentOf(value) ?? ''),
      headers: nodeOf(node['headers']),
      hasBody: content !== undefined,
      schema: nodeOf(content)['schema'],
      examples: examplesOf(nodeOf(content)),
    };
  });
}

/** A response header that is a component. */
interface Header {
  /** The URL fragment of the header's entry. */
  readonly id: string;
  /** The header's name in responses, which may differ from the component's name. */
  readonly name: string;
  readonly description: string;
  readonly example: unknown;
  /** The operations whose responses have the header; empty if all operations do. */
  readonly users: readonly Operation[];
}

export function headersOf(openApi: OpenApi, operations: readonly Operation[]): Header[] {
  const uses = operations.flatMap((operation) =>
    operation.responses.flatMap(({ headers }) =>
      Object.entries(headers).map(([name, header]) => ({
        operation,
        name,
        component: componentOf(header),
      })),
    ),
  );
  return componentsOf(openApi, 'headers').map(([component, header]) => {
    const { description, example } = nodeOf(header);
    const used = uses.filter((use) => use.component === component);
    const users = new Set(used.map(({ operation }) => operation));
    return {
      id: `/headers/${component}`,
      name: used[0]?.name ?? component,
      description: textOf(description),
      example,
      users: users.size === operations.length ? [] : [...users],
    };
  });
}

/** A member of an object's schema. */
interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly deprecated: boolean;
  /** The schema, unresolved: it may be a `$ref`. */
  readonly schema: unknown;
}

/** Returns the name of the component that a schema or its items refer to; undefined if there is none. */
export function schemaComponentOf(schema: unknown): string | undefined {
  return componentOf(schema) ?? componentOf(nodeOf(schema)['items']);
}

/** Returns the members of an object, or of the objects in an array. */
export function membersOf({ resolve }: OpenApi, schema: unknown): Member[] {
  const whole = resolve(schema);
  const { required, properties } = whole['items'] === undefined ? whole : resolve(whole['items']);
  return Object.entries(nodeOf(properties)).map(([name, property]) => ({
    name,
    required: listOf(required).includes(name),
    description: textOf(resolve(property)['description']),
    deprecated: resolve(property)['deprecated'] === true,
    schema: property,
  }));
}

export function valuesOf({ resolve }: OpenApi, schema: unknown): readonly string[] {
  return listOf(resolve(schema)['enum']).map(String);
}

/** Returns the meanings of an enum's values, from Redocly's extension. */
export function meaningsOf({ resolve }: OpenApi, schema: unknown): ReadonlyMap<string, string> {
  const meanings = Object.entries(nodeOf(resolve(schema)['x-enumDescriptions']));
  return new Map(meanings.map(([value, meaning]) => [value, textOf(meaning)]));
}

/** Describes a schema's type and constraints in words: "integer (int64)", "1 to 100", "default 20". */
export function factsOf(openApi: OpenApi, schema: unknown): string[] {
  const node = openApi.resolve(schema);
  const values = valuesOf(openApi, schema);
  return [
    typeOf(node),
    ...range(node, 'minimum', 'maximum'),
    ...range(node, 'minLength', 'maxLength').map((length) => `${length} characters`),
    ...range(node, 'minItems', 'maxItems').map((items) => `${items} items`),
    ...(values.length > 0 && values.length <= 5 ? [values.join(' | ')] : []),
    ...(isNullable(schema) ? ['or null'] : []),
    ...(node['default'] === undefined ? [] : [`default ${inWords(node['default'])}`]),
  ].filter((fact) => fact !== '');
}

function typeOf(node: Node): string {
  const items = componentOf(node['items']);
  const type = items === undefined ? textOf(node['type']) : `array of ${items}`;
  return typeof node['format'] === 'string' ? `${type} (${node['format']})` : type;
}

function range(node: Node, from: string, to: string): string[] {
  const [least, most] = [node[from], node[to]];
  if (least === undefined && most === undefined) {
    return [];
  }
  if (most === undefined) {
    return [`at least ${inWords(least)}`];
  }
  return [
    least === undefined ? `at most ${inWords(most)}` : `${inWords(least)} to ${inWords(most)}`,
  ];
}
