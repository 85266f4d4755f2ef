import { inLine } from '../examples.ts';
import type { Operation } from '../operations.ts';

/** What a code sample sends. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  /** But `Authorization`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON text, so that no language rounds its numbers. */
  readonly body: string | undefined;
}

/** The request with all that it needs: required parameters, and those with a default. */
export function exampleRequest(
  { method, path, parameters, body }: Operation,
  server: string,
): ExampleRequest {
  const given = parameters.filter(({ value }) => value !== '');
  const query = given
    .filter(({ place }) => place === 'query')
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const filled = given
    .filter(({ place }) => place === 'path')
    .reduce(
      (address, { name, value }) => address.replace(`{${name}}`, encodeURIComponent(value)),
      path,
    );
  return {
    method,
    url: server + [filled, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
    headers: [
      ...(body ? [['Content-Type', body.mediaType] as const] : []),
      ...given
        .filter(({ place }) => place === 'header')
        .map(({ name, value }) => [name, value] as const),
    ],
    body: body && inLine(body.example),
  };
}
