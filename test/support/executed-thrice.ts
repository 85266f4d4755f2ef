// Loaded before the service needs it, so that an operation is compiled right after its second use.
import 'graphql-jit';
import { expect } from 'vitest';
import type { Answer, Gateway } from './gateway.ts';

export interface Sent {
  /** The variables' JSON text. */
  readonly variables?: string;
  readonly operationName?: string;
}

/** Adds animals whose ids and names are easily corrupted: the ids have more digits than a JavaScript number can hold. */
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
 * Sends a unique document three times: graphql-js executes the first, a compiled program executes the last. Expects
 * equal responses, apart from the ids of created rows.
 *
 * @returns status and body
 */
export async function executedThrice({ post }: Gateway, query: string, sent: Sent = {}) {
  documents += 1;
  const { variables = '{}', operationName } = sent;
  const parameters = JSON.stringify({ query: `${query} # ${documents}`, operationName });
  const body = parameters.replace('{', `{"variables":${variables},`);
  const isMutation = query.startsWith('mutation');
  const sendOnce = async () => comparable(await post('/graphql', body), isMutation);
  const [first, second, third] = [await sendOnce(), await sendOnce(), await sendOnce()];
  expect([second, third]).toEqual([first, first]);
  return { status: first.status, text: first.text };
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
