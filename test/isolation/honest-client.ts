/**
 * Sends 50 requests a second with a key, each at its time whether those before are answered or not, until its stdin ends:
 * node honest-client.ts URL KEY NAME. It writes a line for each request: answer-line.ts.
 */
import { createHonestClient } from '../support/honest-client.ts';
import { answerLine } from './answer-line.ts';
import { PETS } from './store.ts';

const INTERVAL = 20;
/** Milliseconds after which a request is given up. */
const ANSWER_TIMEOUT = 5000;

const [, , url = '', key = '', clientName = ''] = process.argv;
const client = createHonestClient(url, key, ANSWER_TIMEOUT);

interface Call {
  readonly path: string;
  readonly body?: object;
  /** Of the animal that it adds. */
  readonly name?: string;
  readonly idempotencyKey?: string;
}

const LIST = 'query ($after: ID) { pets(after: $after, limit: 5) { id name status } }';
const PET = 'query ($id: ID!) { pet(id: $id) { id name categoryId status } }';
const CREATE = 'mutation ($input: NewPet!) { createPet(input: $input) { id name } }';

function callOf(number: number): Call {
  const id = (number * 7919) % PETS;
  const name = `honest-${clientName}-${number}`;
  switch (number % 10) {
    case 0:
      return { path: '/v1/pets', body: { name, categoryId: 1 }, name };
    case 1:
      return { path: '/v1/pets', body: { name, categoryId: 1 }, name, idempotencyKey: name };
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

/** What came: `good`, with the id of what was added, or else what was wrong. */
async function answerTo({ path, body, idempotencyKey }: Call): Promise<{
  readonly what: string;
  readonly id?: string | undefined;
}> {
  const { status, text } = await client.ask(
    body === undefined ? 'GET' : 'POST',
    path,
    body,
    idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  );
  const isGood = [200, 201].includes(status) && !text.includes('"errors"');
  if (isGood) return { what: 'good', id: /"id":"?(\d+)/.exec(text)?.[1] };
  return { what: status === 0 ? text : String(status) };
}

async function send(number: number, due: number): Promise<void> {
  const call = callOf(number);
  const { what, id } = await answerTo(call);
  const milliseconds = now() - due;
  const added = call.name === undefined ? undefined : { name: call.name, id };
  process.stdout.write(`${answerLine({ due, milliseconds, what, added })}\n`);
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
