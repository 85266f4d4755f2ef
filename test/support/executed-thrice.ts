// Loaded before the service asks for it: so it has a program right after an operation's second use.
import 'graphql-jit';
import { expect } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import type { Answer, Gateway } from './gateway.ts';

export interface Sent {
  /** As they stand in JSON. */
  readonly variables?: string;
  readonly operationName?: string;
}

interface Comparison {
  /** Whether errors beside no data need not be the same: of fields whose execution graphql-js has cancelled. */
  readonly errorsMayDiffer?: boolean;
}

/** Animals whose ids and names are easily told wrong: ids of more digits than a JavaScript number has. */
export async function addDelicatePets({ database }: Gateway): Promise<void> {
  await database.$executeRaw`
    INSERT INTO pets (id, name, category_id, status)
    SELECT id, 'Rex "' || id || '"\\', 9007199254740993,
      (ARRAY['available', 'pending', 'sold']::pet_status[])[id % 3 + 1]
    FROM unnest(ARRAY[1, 2, 3, 4, 9007199254740992, 9007199254740993, 9223372036854775806]) AS id`;
  await database.$executeRaw`ALTER SEQUENCE pets_id_seq RESTART WITH 5`;
}

let documents = 0;

/**
 * Sends a document that is like no other three times: first it is executed by graphql-js, in the end by a
 * compiled program. Expects equal answers, apart from the ids of what is added.
 *
 * @returns status and body
 */
export async function executedThrice(
  { post }: Gateway,
  query: string,
  sent: Sent = {},
  { errorsMayDiffer = false }: Comparison = {},
) {
  documents += 1;
  const { variables = '{}', operationName } = sent;
  const parameters = JSON.stringify({ query: `${query} # ${documents}`, operationName });
  const body = parameters.replace('{', `{"variables":${variables},`);
  const isMutation = query.startsWith('mutation');
  const first = comparable(await post('/graphql', body), isMutation);
  const second = comparable(await post('/graphql', body), isMutation);
  const third = comparable(await post('/graphql', body), isMutation);
  for (const other of [second, third]) {
    const [one, another] = errorsMayDiffer ? withoutCancelled(first, other) : [first, other];
    expect(another).toEqual(one);
  }
  return { status: first.status, text: first.text };
}

type Comparable = ReturnType<typeof comparable>;

/**
 * Where an error leaves no data at all, graphql-js executes nothing more, and a program may go on: GraphQL (6.4.4) lets
 * the errors of other fields be told or not.
 */
function withoutCancelled(first: Comparable, other: Comparable): readonly Comparable[] {
  const [errors, others] = [first, other].map(({ text }) => errorsWithoutData(text));
  if (errors === undefined || others === undefined || errors.length === others.length) {
    return [first, other];
  }
  const both = errors.filter((error) => others.includes(error));
  expect(both).not.toEqual([]);
  return [first, other].map(({ status, headers }) => ({
    status,
    headers: headers.filter(([name]) => name !== 'content-length'),
    text: both.join('\n'),
  }));
}

/** Each error as JSON, if there is nothing else. */
function errorsWithoutData(text: string): string[] | undefined {
  const answer: unknown = JSON.parse(text);
  return isJsonObject(answer) && answer['data'] === null && Array.isArray(answer['errors'])
    ? answer['errors'].map((error) => JSON.stringify(error))
    : undefined;
}

function comparable({ status, headers, text }: Answer, isMutation: boolean) {
  const told = [...headers].filter(
    ([name]) => !['x-request-id', 'date', 'ratelimit', 'idempotent-replayed'].includes(name),
  );
  return {
    status,
    headers: isMutation ? told.filter(([name]) => name !== 'content-length') : told,
    text: isMutation ? text.replaceAll(/"(?:id|again)":"\d+"/g, '"id":"new"') : text,
  };
}
