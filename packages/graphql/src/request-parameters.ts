import { codedError } from '@store-gateway/ops/errors';
import { parseExactly, TooManyExactNumbers, isJsonObject } from '@store-gateway/ops';
import type { DocumentParameters } from './trusted-documents.ts';

/** The parameters of a valid request. Yoga's own type would require the types of all of Yoga's dependencies. */
export interface GraphQLParams {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
}

/** The parameters of a request, from its body's JSON object or from its query string, not yet validated. */
type SentParameters = Readonly<Record<string, unknown>>;

/**
 * Validates the parameters of a request (https://http-spec.graphql.org/September2026/#sec-GraphQL-over-HTTP-Request; null
 * counts as absent), and reads its document. Returns a promise only if the document is read from the database.
 *
 * @throws GraphQLError of the closed list
 */
export function operationParameters(
  sent: SentParameters,
  readDocument: (parameters: DocumentParameters) => string | Promise<string>,
): GraphQLParams | Promise<GraphQLParams> {
  const { query: asked, documentId, operationName } = sent;
  if (operationName != null && typeof operationName !== 'string') {
    throw codedError('BAD_USER_INPUT', 'operationName must be a string');
  }
  const variables = objectOf(sent, 'variables');
  const extensions = objectOf(sent, 'extensions');
  const parametersWith = (query: string): GraphQLParams => ({
    query,
    ...(operationName ? { operationName } : undefined),
    ...(variables && { variables }),
    ...(extensions && { extensions }),
  });
  const query = readDocument({ query: asked, documentId, extensions });
  return typeof query === 'string' ? parametersWith(query) : query.then(parametersWith);
}

function objectOf(sent: SentParameters, name: string): Record<string, unknown> | undefined {
  const value = sent[name] ?? undefined;
  if (value !== undefined && !isJsonObject(value)) {
    throw codedError('BAD_USER_INPUT', `${name} must be a JSON object`);
  }
  return value;
}

/**
 * The parameters of a body.
 *
 * @throws GraphQLError of the closed list
 */
export function parametersOfBody(body: unknown): SentParameters {
  if (!isJsonObject(body)) {
    throw codedError('BAD_USER_INPUT', 'The body must be a JSON object');
  }
  return body;
}

/**
 * The parameters of a query string, with exact integers.
 *
 * @throws GraphQLError of the closed list
 */
export function parametersOfQuery(search: string): SentParameters {
  const parameters = new URLSearchParams(search);
  const text = (name: string): string | undefined => {
    const [value, ...others] = parameters.getAll(name);
    if (others.length > 0) {
      throw codedError('BAD_USER_INPUT', `${name} must not be repeated`);
    }
    return value;
  };
  const json = (name: string): unknown => {
    const value = text(name) || 'null';
    try {
      return parseExactly(value);
    } catch (error) {
      const refused = error instanceof TooManyExactNumbers;
      throw codedError('BAD_USER_INPUT', refused ? error.message : `${name} must be a JSON object`);
    }
  };
  return {
    query: text('query'),
    documentId: text('documentId'),
    operationName: text('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  };
}
