import {
  componentOf,
  componentsOf,
  examplesOf,
  inWords,
  listOf,
  nodeOf,
  textOf,
  type Node,
  type OpenApi,
} from './openapi.ts';

/** The members of a Path Item Object that are operations. */
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

export interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly deprecated: boolean;
  /** The schema as it is in the document, which may be a reference. */
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
 * Something that must exist before an operation is requested. The Link Object of the operation that adds it names the member
 * that takes its id.
 */
interface Prerequisite {
  readonly member: string;
  readonly addedBy: Operation;
}

export interface Response {
  readonly status: string;
  readonly description: string;
  /** Whether other operations refer to the same response. */
  readonly isShared: boolean;
  /** The headers as they are in the document, by name. */
  readonly headers: Node;
  readonly hasBody: boolean;
  readonly schema: unknown;
  readonly examples: readonly unknown[];
}

export interface Operation {
  /** The fragment that links to it: `/tag/operationId`. */
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
  /** What the members of the body refer to. */
  readonly prerequisites: readonly Prerequisite[];
}

/** All operations, in the order of the document. */
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
 * The operations that take the id from a response, each with the member of the body that takes it (OpenAPI 3.1, Link Object).
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

/** All scopes in the first alternative (OpenAPI 3.1, Security Requirement Object). */
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

/** The response components that several operations refer to. */
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

/** @param shared from `sharedResponses` */
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
export interface Header {
  /** The fragment that links to it. */
  readonly id: string;
  /** The header's name in responses, which may differ from the component's name. */
  readonly name: string;
  readonly description: string;
  readonly example: unknown;
  /** The operations whose responses have it; empty if all have it. */
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
