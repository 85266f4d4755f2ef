import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { hashOfDocument } from '../../packages/graphql/src/trusted-documents.ts';
import { storeDocuments } from '../../packages/gateway/src/graphql/trusted-documents.ts';
import { errorBody, graphqlErrorBody } from './error-body.ts';
import type { Gateway } from './gateway.ts';
import { operations, type ServiceOperation } from './operations.ts';

/** What a client is told that shows no key, and one that shows a bad one. */
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

const STORED = 'mutation { createPet(input: { name: "stored", categoryId: 1 }) { id } }';
const HASH = hashOfDocument(STORED);
const BY_ID = `?documentId=sha256:${HASH}`;
const PERSISTED = { persistedQuery: { version: 1, sha256Hash: HASH } };

/** All that the service can be asked, each such that it would do something; stored documents included. */
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

/** Stores the document that some of the operations name. */
export async function storeAskedDocument({ database }: Gateway): Promise<void> {
  await storeDocuments(database, [{ hash: HASH, document: STORED }]);
}

/** How many rows there are that a request could have made. */
export async function countRows({ database }: Gateway): Promise<unknown> {
  return database.$queryRaw`
    SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM _gateway_deprecated_calls) AS calls,
      (SELECT count(*) FROM _gateway_idempotency_keys) AS keys`;
}

const AT_ONCE = 40;

/**
 * Makes each attempt for each operation.
 *
 * @returns those that were not answered with 401, in full, each with its answer; and rows that came of any
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
      const expected: Answer = {
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
  await gateway.deprecatedCalls.flush();
  const after = await countRows(gateway);
  return isDeepStrictEqual(after, before) ? found : [...found, { before, after }];
}

interface Answer {
  readonly status: number | undefined;
  readonly challenge: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

function refusalBody({ surface, method }: ServiceOperation, message: string): string {
  if (method === 'HEAD') {
    return '';
  }
  return (surface === 'REST' ? errorBody : graphqlErrorBody)(401, 'UNAUTHENTICATED', message);
}

/** Sends no header that isn't given, and each as it is. */
async function answerTo(
  url: string,
  { method, path, body }: ServiceOperation,
  headers: OutgoingHttpHeaders,
): Promise<Answer> {
  const sent = { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, path, headers: sent })
      .once('response', resolve)
      .once('error', reject)
      .end(body);
  });
  return {
    status: response.statusCode,
    challenge: response.headers['www-authenticate'],
    type: response.headers['content-type'],
    body: await text(response),
  };
}
