/**
 * Sends 50 requests per second on a fixed schedule, even if earlier ones have not been answered, until its stdin ends:
 * node honest-client.ts URL KEY NAME. It writes a line for each request: when it was due, the milliseconds until its answer,
 * `good`, the status or the error, and for an addition the name and the id of the animal.
 */
import { createHonestClient } from '../support/node-request.ts';
import { PETS } from './store.ts';

const INTERVAL = 20;
/** Milliseconds after which a request times out. */
const ANSWER_TIMEOUT = 5000;

const [, , url = '', key = '', clientName = ''] = process.argv;
const client = createHonestClient(url, key, ANSWER_TIMEOUT);

interface Call {
  readonly path: string;
  readonly body?: object;
  /** The name of the animal that it adds. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const LIST = 'query ($after: ID) { pets(after: $after, limit: 5) { id name status } }';
const PET = 'query ($id: ID!) { pet(id: $id) { id name categoryId status } }';
const CREATE = 'mutation ($input: NewPet!) { createPet(input: $input) { id name } }';

function callOf(number: number): Call {
  const id = (number * 7919) % PETS;
  const name = `honest-${clientName}-${number}`;
  const body = { name, categoryId: 1 };
  switch (number % 10) {
    case 0:
      return { path: '/v1/pets', body, name };
    case 1:
      return { path: '/v1/pets', body, name, headers: { 'Idempotency-Key': name } };
    case 2: {
      const variables = { input: { name, categoryId: '1' } };
      return { path: '/graphql', body: { query: CREATE, variables }, name };
    }
    case 3:
      return { path: '/graphql', body: { query: LIST, variables: { after: String(id) } } };
    case 4:
      return { path: '/graphql', body: { query: PET, variables: { id: String(id + 1) } } };
    case 5:
    case 6:
      return { path: `/v1/pets/${id + 1}` };
    default:
      return { path: `/v1/pets?limit=5&after=${id}` };
  }
}

async function send(number: number, due: number): Promise<void> {
  const { path, body, name = '', headers = {} } = callOf(number);
  const method = body === undefined ? 'GET' : 'POST';
  const { status, text } = await client.ask(method, path, body, headers);
  const isGood = [200, 201].includes(status) && !text.includes('"errors"');
  const failure = status === 0 ? text.replaceAll(' ', '_') : status;
  const id = name !== '' && isGood ? /"id":"?(\d+)/.exec(text)?.[1] : undefined;
  const line = [due, now() - due, isGood ? 'good' : failure, name, id ?? ''];
  process.stdout.write(`${line.join(' ')}\n`);
}

/** Milliseconds of the system's monotonic clock, which all processes share. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const began = now();
let sent = 0;
const ticking = setInterval(() => {
  for (let due = began + sent * INTERVAL; due <= now(); due += INTERVAL) {
    void send(sent, due);
    sent += 1;
  }
}, INTERVAL / 4);
process.stdin
  .once('end', () => {
    clearInterval(ticking);
  })
  .resume();
