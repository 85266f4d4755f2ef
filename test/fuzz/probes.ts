import { faultsOf } from './oracle.ts';
import { sendExchange, type Target } from './send-exchange.ts';
import { get, post } from './valid-requests.ts';
import { writeRequest, type WireRequest } from './wire-request.ts';

const ANIMAL = JSON.stringify({ name: 'probe', categoryId: 1 });
const { headers: json } = post('/v1/pets', ANIMAL);

/** One request for each way that the service has to answer them: what is attacked is to have them all. */
const PROBES: readonly (readonly [status: number, request: WireRequest])[] = [
  [200, get('/v1/pets')],
  [200, post('/graphql', JSON.stringify({ query: '{ pets { id } }' }))],
  [201, post('/v1/pets', ANIMAL)],
  [400, post('/v1/pets', '{}')],
  [401, { ...get('/v1/pets'), headers: [['Host', 'animals.example']] }],
  [404, get('/nowhere')],
  [405, { ...get('/v1/pets'), method: 'DELETE' }],
  [413, post('/v1/pets', ANIMAL + ' '.repeat(100_000))],
  [414, get(`/v1/pets?${'x'.repeat(10_000)}`)],
  [
    415,
    {
      ...post('/v1/pets', ANIMAL),
      headers: json.map(([name, value]) => [name, name === 'Content-Type' ? 'text/plain' : value]),
    },
  ],
  [431, get('/v1/pets', [['X', 'y'.repeat(20_000)]])],
];

/** What is wrong about the answers to requests whose status is known. */
export async function probeFaults(target: Target): Promise<string[]> {
  const faults: string[] = [];
  for (const [status, request] of PROBES) {
    const { method } = request;
    const exchange = {
      kind: `a probe for ${status}`,
      bytes: writeRequest(request),
      cuts: [],
      end: 'wait',
      methods: [method],
      tag: 'probe',
    } as const;
    const outcome = await sendExchange(exchange, target);
    const answered = outcome.read.answers.map((answer) => answer.status).join();
    faults.push(
      ...faultsOf(exchange, outcome),
      ...(answered === String(status) ? [] : [`${exchange.kind} is answered with ${answered}`]),
    );
  }
  return faults;
}
