import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { times } from '../support/documents.ts';

const { post } = await startGateway();

const REQUESTS = 20;
const ROUNDS = 5;
/** The maximum ratio of a costly request's CPU time to an ordinary request's, including the client's. */
const MOST = 10;

interface Sent {
  readonly path: '/graphql' | '/v1/pets';
  readonly body: string;
}

/**
 * Returns a request's CPU time in milliseconds, including the client's. Unlike elapsed time, it does not depend on the
 * machine's load.
 */
async function timeOf(sent: (number: number) => Sent): Promise<number> {
  const requests = Array.from({ length: REQUESTS }, (_, number) => sent(number));
  const before = process.cpuUsage();
  for (const { path, body } of requests) {
    await post(path, body);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / REQUESTS;
}

/** Returns the minimum of several rounds, because the process sometimes compiles or collects garbage. */
async function leastTimeOf(sent: (number: number) => Sent): Promise<number> {
  const found: number[] = [];
  while (found.length < ROUNDS) {
    const first = (found.length + 1) * REQUESTS;
    found.push(await timeOf((number) => sent(first + number)));
  }
  return Math.min(...found);
}

const document = (query: (number: number) => string) => (number: number) =>
  ({ path: '/graphql', body: JSON.stringify({ query: query(number) }) }) as const;
const numbers = (number: string, count: number) => () =>
  ({ path: '/v1/pets', body: `{"name":"Rex","x":[${times(count, () => number, ',')}]}` }) as const;

const ORDINARY = document((number) => `query Q${number} { pets(limit: 5) { id name status } }`);

test.each<[string, (number: number) => Sent]>([
  ['a field 240 times', document((number) => `{ ${times(240, () => 'pets{id}')} x${number} }`)],
  [
    'fragments that each spread all later ones',
    document(
      (number) =>
        `query Q${number} { pets(limit: 1) { ...F0 } } ${times(
          26,
          (index) =>
            `fragment F${index} on Pet { id ${times(25 - index, (other) => `...F${index + other + 1}`)} }`,
        )}`,
    ),
  ],
  [
    'a chain of fragments',
    document(
      (number) =>
        `query Q${number} { pets(limit: 1) { ...F0 } } ${times(
          80,
          (index) =>
            `fragment F${index} on Pet { id name ${index < 79 ? `...F${index + 1}` : ''} }`,
        )}`,
    ),
  ],
  [
    'many lines and errors',
    document(
      (number) => `${'\n'.repeat(45_000)}{ x${number} ${times(900, (index) => `y${index}`)} }`,
    ),
  ],
  ['12,000 numbers with exponents', numbers('1.5e300', 12_000)],
  ['24,000 fractions', numbers('1.5', 24_000)],
  ['19,000 large integers', numbers('9e18', 19_000)],
  ['49,000 digits', numbers('1', 49_000)],
])(
  'a request with %s takes less than ten times the CPU time of an ordinary one',
  async (_what, sent) => {
    // The first execution of code takes longer.
    await timeOf(sent);
    await timeOf(ORDINARY);
    const ordinary = await leastTimeOf(ORDINARY);
    expect(await leastTimeOf(sent)).toBeLessThan(MOST * ordinary);
  },
);
