import type { OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { hashOfDocument } from '../../packages/graphql/src/trusted-documents.ts';
import { storeDocuments } from '../../packages/gateway/src/graphql/trusted-documents.ts';
import { errorBody, graphqlErrorBody } from './error-body.ts';
import { type Gateway, schema } from './gateway.ts';
import { sendRequest } from './node-request.ts';
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  OperationTypeNode,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { routes } from '../../src/rest/routes.ts';

/** The contents of a 401 to a request without a key, and to one with an invalid key. */
export const NO_KEY = {
  challenge: 'Bearer',
  message: 'An API key is required: Authorization: Bearer <API_KEY>',
};
export const BAD_KEY = {
  challenge: 'Bearer error="invalid_token"',
  message: 'The API key is not valid',
};

export interface Attempt {
  readonly what: string;
  /** Header fields; one may have several values. */
  readonly headers: OutgoingHttpHeaders;
  readonly told: typeof NO_KEY;
}

/** An operation that a client can request from the service. */
interface ServiceOperation {
  readonly surface: 'REST' | 'GraphQL';
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** A minimal valid document for introspection, and one for each field of the schema's root types. */
export const documents: readonly string[] = [
  'query { __schema { queryType { name } } }',
  'query { __type(name: "Pet") { name } }',
  ...Object.values(OperationTypeNode).flatMap((kind) => {
    const fields = Object.values(schema.getRootType(kind)?.getFields() ?? {});
    return fields.length === 0
      ? []
      : ['__typename', ...fields.map(fieldText)].map((field) => `${kind} { ${field} }`);
  }),
];

/** All operations that the service supports, derived from the routes and the schema, so that new ones are included. */
export const operations: readonly ServiceOperation[] = [
  ...routes.flatMap(({ method, path }): ServiceOperation[] => {
    const address = { surface: 'REST', path: `/v1${path.replaceAll(/:\w+/g, '1')}` } as const;
    return method === 'get'
      ? [
          { ...address, method: 'GET' },
          { ...address, method: 'HEAD' },
        ]
      : [{ ...address, method: method.toUpperCase(), body: '{}' }];
  }),
  ...documents.flatMap((query): ServiceOperation[] => [
    { surface: 'GraphQL', method: 'POST', path: '/graphql', body: JSON.stringify({ query }) },
    { surface: 'GraphQL', method: 'GET', path: `/graphql?query=${encodeURIComponent(query)}` },
  ]),
];

function fieldText({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const given = args.filter(isRequiredArgument).map((arg) => `${arg.name}: ${valueText(arg.type)}`);
  const selection = isCompositeType(getNamedType(type)) ? ' { __typename }' : '';
  return `${name}${given.length === 0 ? '' : `(${given.join(', ')})`}${selection}`;
}

function valueText(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    return '[]';
  }
  if (isInputObjectType(nullable)) {
    const members = Object.values(nullable.getFields())
      .filter(isRequiredInputField)
      .map((field) => `${field.name}: ${valueText(field.type)}`);
    return `{ ${members.join(', ')} }`;
  }
  if (isEnumType(nullable)) {
    return nullable.getValues()[0]?.name ?? '';
  }
  const { example } = nullable.extensions;
  return example === undefined
    ? ({ Int: '1', Float: '1', Boolean: 'true' }[nullable.name] ?? '"1"')
    : JSON.stringify(example);
}

const STORED = 'mutation { createPet(input: { name: "stored", categoryId: 1 }) { id } }';
const HASH = hashOfDocument(STORED);
const BY_ID = `?documentId=sha256:${HASH}`;
const PERSISTED = { persistedQuery: { version: 1, sha256Hash: HASH } };

/** All operations, including stored documents, in a form that would have an effect. */
export const askedOperations: readonly ServiceOperation[] = [
  ...operations.map(({ surface, method, path, body }): ServiceOperation => ({
    surface,
    method,
    path,
    ...(body !== undefined && {
      body: surface === 'REST' ? '{"name":"Rex","categoryId":1}' : body,
    }),
  })),
  ...operations
    .filter(({ surface, method }) => surface === 'GraphQL' && method === 'GET')
    .map(({ surface, path }): ServiceOperation => ({ surface, method: 'HEAD', path })),
  { surface: 'GraphQL', method: 'GET', path: `/graphql${BY_ID}` },
  ...[{ documentId: `sha256:${HASH}` }, { extensions: PERSISTED }].map(
    (body): ServiceOperation => ({
      surface: 'GraphQL',
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify(body),
    }),
  ),
];

/** Stores the document that some of the operations refer to. */
export async function storeAskedDocument({ database }: Gateway): Promise<void> {
  await storeDocuments(database, [{ hash: HASH, document: STORED }]);
}

/** Counts the rows in the tables that a request could write to. */
export async function countRows({ database, deprecatedCalls }: Gateway): Promise<unknown> {
  await deprecatedCalls.flush();
  return database.$queryRaw`
    SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM _gateway_deprecated_calls) AS calls,
      (SELECT count(*) FROM _gateway_idempotency_keys) AS keys`;
}

const AT_ONCE = 40;

/**
 * Makes each attempt for each operation.
 *
 * @returns those that did not get the complete 401, each with its response, and rows that any of them created
 */
export async function notRefused(
  gateway: Gateway,
  attempts: readonly Attempt[],
  asked: readonly ServiceOperation[] = askedOperations,
): Promise<object[]> {
  const before = await countRows(gateway);
  const all = attempts.flatMap((attempt) => asked.map((operation) => ({ attempt, operation })));
  const found: object[] = [];
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const some = all.slice(start, start + AT_ONCE).map(async ({ attempt, operation }) => {
      const answer = await answerTo(gateway.url, operation, attempt.headers);
      const expected: typeof answer = {
        status: 401,
        challenge: attempt.told.challenge,
        type: 'application/json; charset=utf-8',
        body: refusalBody(operation, attempt.told.message),
      };
      const isRefused = JSON.stringify(answer) === JSON.stringify(expected);
      return isRefused ? [] : [{ what: attempt.what, operation, answer }];
    });
    found.push(...(await Promise.all(some)).flat());
  }
  const after = await countRows(gateway);
  return isDeepStrictEqual(after, before) ? found : [...found, { before, after }];
}

function refusalBody({ surface, method }: ServiceOperation, message: string): string {
  if (method === 'HEAD') {
    return '';
  }
  return (surface === 'REST' ? errorBody : graphqlErrorBody)(401, 'UNAUTHENTICATED', message);
}

/** Sends only the given headers, unchanged, and a Content-Type for a body. */
async function answerTo(
  url: string,
  { method, path, body }: ServiceOperation,
  headers: OutgoingHttpHeaders,
) {
  const sent = { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers };
  const response = await sendRequest(url, { method, path, headers: sent }, body);
  return {
    status: response.statusCode,
    challenge: response.headers['www-authenticate'],
    type: response.headers['content-type'],
    body: await text(response),
  };
}
