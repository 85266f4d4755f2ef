import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { codedError } from '../errors.ts';
import { exactNumbers, isJsonObject } from '../json.ts';
import type { RequestContext } from './request-context.ts';
import type { ReadDocument } from './trusted-documents/document-reader.ts';

/**
 * Takes the operation from a body that the app has read, or from the query string, with every integer
 * exact: Yoga's own parsers read numbers as doubles.
 */
export function useExactRequestParser(readDocument: ReadDocument): Plugin<object, RequestContext> {
  return {
    onRequestParse(payload) {
      const { request, url, serverContext } = payload;
      payload.setRequestParser(() =>
        operationParameters(
          request.method === 'POST' ? serverContext.body : queryParameters(url.searchParams),
          readDocument,
        ),
      );
    },
  };
}

/** https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters: null is as good as absent. */
async function operationParameters(
  parameters: Readonly<Record<string, unknown>>,
  readDocument: ReadDocument,
): Promise<GraphQLParams> {
  const { query, documentId, operationName, variables, extensions } = parameters;
  if (operationName != null && typeof operationName !== 'string') {
    throw codedError('BAD_USER_INPUT', 'operationName must be a string');
  }
  if (variables != null && !isJsonObject(variables)) {
    throw codedError('BAD_USER_INPUT', 'variables must be a JSON object');
  }
  if (extensions != null && !isJsonObject(extensions)) {
    throw codedError('BAD_USER_INPUT', 'extensions must be a JSON object');
  }
  return {
    query: await readDocument({ query, documentId, extensions: extensions ?? undefined }),
    ...(operationName ? { operationName } : {}),
    ...(variables == null ? {} : { variables }),
    ...(extensions == null ? {} : { extensions }),
  };
}

function queryParameters(parameters: URLSearchParams): Record<string, unknown> {
  return {
    query: parameters.get('query'),
    documentId: parameters.get('documentId'),
    operationName: parameters.get('operationName'),
    variables: jsonParameter(parameters, 'variables'),
    extensions: jsonParameter(parameters, 'extensions'),
  };
}

function jsonParameter(parameters: URLSearchParams, name: string): unknown {
  try {
    return JSON.parse(parameters.get(name) || 'null', exactNumbers);
  } catch {
    throw codedError('BAD_USER_INPUT', `${name} must be a JSON object`);
  }
}
