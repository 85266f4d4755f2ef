import { isNonNullType } from 'graphql';
import type { JsonObject } from '@gateway/exact-json/json';
import type { Input } from '@gateway/pothos-plugins/input-faults';
import type { Operation } from '../operation.ts';
import type { Route } from '../../../../src/rest/routes.ts';
import { EXAMPLE_ETAG, exampleOf } from './examples.ts';
import { inputSchema } from './input-schemas.ts';
import type { Schemas } from './schemas.ts';

// The examples of parameters are their schemas': pages with a try-it-out begin with a parameter's own
// example, and a list would begin behind the animal of the example.
const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'Entity tags of what the client has already, or `*`: if the current one is among them, the answer is 304 (RFC 9110, 13.1.2).',
  schema: { type: 'string', examples: [EXAMPLE_ETAG] },
};

/** For a route whose field takes a name for what it adds (src/schema/idempotency.ts). */
const IDEMPOTENCY_KEY: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A name for this request, with or without double quotes, best a random one such as a UUID: however often it is sent within a day, the animal is added once, and the answer repeated. To be sent again with the same body.',
  schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[ -~]+$' },
};

/** Everything that a route reads but a body. */
export function parametersOf(route: Route, schemas: Schemas): JsonObject[] {
  const { method, operation, pathParameters = {}, queryParameters = {} } = route;
  const parametersIn = (place: 'path' | 'query', names: readonly string[]) =>
    names.map((name) => parameter(name, place, inputOf(operation, name), schemas));
  return [
    ...parametersIn('path', Object.keys(pathParameters)),
    ...parametersIn('query', Object.keys(queryParameters)),
    ...(method === 'get' ? [IF_NONE_MATCH] : []),
    ...(isNameable(operation) ? [IDEMPOTENCY_KEY] : []),
  ];
}

/** Whether callers may name what an operation adds, so that it is added once. */
export function isNameable({ field }: Operation): boolean {
  return field.args.some(({ name }) => name === 'idempotencyKey');
}

/** The argument that a variable of an operation is given to. */
export function inputOf({ name, inputs }: Operation, variable: string): Input {
  const input = inputs.get(variable);
  if (input === undefined) {
    throw new Error(`OpenAPI: ${name} has no variable $${variable}`);
  }
  return input;
}

function parameter(
  name: string,
  place: 'path' | 'query',
  input: Input,
  schemas: Schemas,
): JsonObject {
  return {
    name,
    in: place,
    description: input.description ?? '',
    // Without a parameter of its path, it would be another path.
    required: place === 'path' || (isNonNullType(input.type) && input.defaultValue === undefined),
    schema: { ...inputSchema(input, schemas), examples: [exampleOf(name)] },
  };
}
