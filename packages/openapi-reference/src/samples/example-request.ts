import { inLine } from '../examples.ts';
import { nodeOf } from '../openapi.ts';
import type { Operation } from '../operations.ts';

/** What a code sample sends. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  /** But `Authorization`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON text, so that no language rounds its numbers: with the name of a variable between each two pieces. */
  readonly body: readonly string[] | undefined;
}

/** A body as an expression that puts its pieces, quoted, and the variables between them together. */
export function concatenated(
  body: readonly string[],
  quote: (piece: string) => string,
  operator: string,
): string {
  return body.map((piece, index) => (index % 2 === 0 ? quote(piece) : piece)).join(operator);
}

/** What is added first, and the variable for its id as it is in JSON. */
export interface Preparation {
  readonly variable: string;
  readonly request: ExampleRequest;
}

export interface Example {
  readonly preparations: readonly Preparation[];
  readonly request: ExampleRequest;
}

/** An operation's request, and those that add what it refers to, and what that refers to, each once. */
export function exampleOf(operation: Operation, server: string): Example {
  const variables = new Map<Operation, string>();
  const preparations: Preparation[] = [];
  const requestOf = (each: Operation): ExampleRequest => {
    const members = Object.keys(nodeOf(each.body?.example));
    const ids = new Map<string, string>();
    for (const { member, addedBy } of each.prerequisites) {
      if (members.includes(member) && addedBy !== operation) {
        const taken = [...variables.values()];
        const free = taken.includes(member) ? `${member}${taken.length + 1}` : member;
        const variable = variables.get(addedBy) ?? free;
        if (!variables.has(addedBy)) {
          variables.set(addedBy, variable);
          preparations.push({ variable, request: requestOf(addedBy) });
        }
        ids.set(member, variable);
      }
    }
    return exampleRequest(each, server, ids);
  };
  return { request: requestOf(operation), preparations };
}

/**
 * The request with all that it needs: required parameters, and those with a default.
 *
 * @param ids the variables for members of the body
 */
function exampleRequest(
  { method, path, parameters, body }: Operation,
  server: string,
  ids: ReadonlyMap<string, string>,
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
    body: body && bodyWith(body.example, ids),
  };
}

/** What no example has in it. */
const MARK = '\u{F0000}';

function bodyWith(example: unknown, ids: ReadonlyMap<string, string>): readonly string[] {
  const marked = Object.entries(nodeOf(example)).map(([name, value]) => {
    const variable = ids.get(name);
    return [name, variable === undefined ? value : MARK + variable + MARK] as const;
  });
  const text = inLine(ids.size === 0 ? example : Object.fromEntries(marked));
  return text.split(new RegExp(`"?${MARK}"?`, 'u'));
}
