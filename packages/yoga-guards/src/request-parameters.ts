import type { GraphQLParams } from 'graphql-yoga';
import { codedError, errorCode } from '@gateway/errors/coded-error';
import { parseExactly } from '@gateway/exact-json/exact-json';
import { isJsonObject } from '@gateway/exact-json/json';
import type { ReadDocument } from './trusted-documents/document-reader.ts';

/** The parameters of a request, from its body's JSON object or from its query string, and not yet judged. */
export type SentParameters = Readonly<Record<string, unknown>>;

/**
 * https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters: null is as good as absent.
 *
 * @throws GraphQLError of the closed list
 */
export async function operationParameters(
  { query, documentId, operationName, variables, extensions }: SentParameters,
  readDocument: ReadDocument,
): Promise<GraphQLParams> {
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

/**
 * What a query string has of them, with every integer exact.
 *
 * @throws GraphQLError of the closed list
 */
export function parametersOfQuery(search: string): SentParameters {
  const parameters = new URLSearchParams(search);
  return {
    query: parameter(parameters, 'query'),
    documentId: parameter(parameters, 'documentId'),
    operationName: parameter(parameters, 'operationName'),
    variables: jsonParameter(parameters, 'variables'),
    extensions: jsonParameter(parameters, 'extensions'),
  };
}

function parameter(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name);
  if (others.length > 0) {
    throw codedError('BAD_USER_INPUT', `${name} must not be repeated`);
  }
  return value;
}

function jsonParameter(parameters: URLSearchParams, name: string): unknown {
  const text = parameter(parameters, name);
  try {
    return parseExactly(text || 'null');
  } catch (error) {
    throw errorCode(error) === undefined
      ? codedError('BAD_USER_INPUT', `${name} must be a JSON object`)
      : error;
  }
}
