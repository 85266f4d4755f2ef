import { get, KEY_PLACE, post, utf8, writeRequest, type Exchange } from '../fuzz/exchange.ts';
import { exchangesOf } from '../fuzz/generate.ts';
import { contractOf, object, type DocumentedOperation } from '../support/openapi.ts';
import type { OpenStore } from './stores.ts';

/** An exchange with its name in a recording. */
export type NamedExchange = readonly [name: string, exchange: Exchange];

/** The server may respond before it reads an invalid trailer, so the result is a race. */
const IN_TRAILER = 'framing in the trailer';

/** The fuzzer's exchanges for one seed, except those whose result is a race, such as when the client leaves early. */
export function fuzzed(count: number, { keys }: OpenStore): NamedExchange[] {
  const key = keys.get('unrestricted') ?? '';
  return exchangesOf(1, 0, count)
    .map((exchange, number): NamedExchange => [
      `fuzz ${number}: ${exchange.kind}`,
      { ...exchange, bytes: exchange.bytes.replaceAll(KEY_PLACE, key) },
    ])
    .filter(([, { kind, end }]) => end === 'wait' && !kind.endsWith(IN_TRAILER));
}

/** A request with an unrestricted API key. */
interface Request extends Pick<DocumentedOperation, 'method' | 'path'> {
  readonly name: string;
  readonly body?: string | undefined;
}

/** A change to a request. */
interface Variation {
  /** A header with an empty value is removed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  /** The value of all path parameters; by default 2. */
  readonly id?: string;
  readonly search?: string;
  readonly body?: string;
  readonly key?: string;
}

const BY_KEYS: readonly Variation[] = [
  {},
  { headers: { Authorization: '' } },
  { headers: { Authorization: 'Bearer no' } },
  { key: 'reading' },
  { key: 'writing' },
  { key: 'documents' },
  { key: 'origin' },
  { key: 'origin', headers: { Origin: 'https://shop.example' } },
  { key: 'expired' },
];

const FAULTS: readonly Variation[] = [
  { headers: { Authorization: '' } },
  { key: 'writing' },
  { headers: { Accept: 'text/csv' } },
  { headers: { 'Idempotency-Key': '""' } },
  { headers: { 'If-Match': 'x' } },
  { search: '?%ff' },
  { id: 'x' },
  { body: '{' },
];

/** Two faults at once: the response shows which is found first. */
const PAIRS_OF_FAULTS = FAULTS.flatMap((one, index) =>
  FAULTS.slice(index + 1).map((other) => bothOf(one, other)),
);

function bothOf(one: Variation, other: Variation): Variation {
  return { ...one, ...other, headers: { ...one.headers, ...other.headers } };
}

function varied(
  { name, path, ...request }: Request,
  variations: readonly Variation[],
  { keys }: OpenStore,
): NamedExchange[] {
  return variations.map((variation) => {
    const { headers = {}, id = '2', search = '', key = 'unrestricted' } = variation;
    const { method, body } = { ...request, ...variation };
    const target = path.replaceAll(/\{\w+\}/g, id) + search;
    const usual = body === undefined ? get(target) : post(target, utf8(body));
    const all = new Map([...usual.headers, ...Object.entries(headers)]);
    const sent = [...all].filter(([, value]) => value !== '');
    const bytes = writeRequest({ ...usual, method, headers: sent }).replaceAll(
      KEY_PLACE,
      keys.get(key) ?? '',
    );
    const kind = `${method} ${name} ${JSON.stringify(variation).slice(0, 200)}`;
    return [kind, { kind, bytes, cuts: [], end: 'wait', methods: [method], tag: '' }];
  });
}

/** The store's GraphQL documents, sent by POST and by GET. */
export function ofDocuments(store: OpenStore): NamedExchange[] {
  const variations = [
    ...BY_KEYS,
    { headers: { Accept: 'application/graphql-response+json' } },
    { headers: { 'Idempotency-Key': 'one' } },
  ];
  return store.documents.flatMap((query, index) => {
    const variables: unknown = JSON.parse(query.split(' # ')[1] ?? '{}');
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    const body = JSON.stringify({ query, variables });
    return [
      ...varied({ name: query, method: 'GET', path: `/graphql?${String(search)}` }, [{}], store),
      ...varied(
        { name: query, method: 'POST', path: '/graphql', body },
        index === 0 ? [...variations, ...PAIRS_OF_FAULTS] : variations,
        store,
      ),
    ];
  });
}

const PATHS = `/ /v1 /v1/ /graphql /graphql/ /graphql?query /key /livez /readyz /v1/openapi.json
  /v1/openapi.yaml /schema.graphql /docs /guides/api /nowhere /v1/nowhere /% /v1/%ff`.split(/\s+/);
const PREFLIGHT = {
  Authorization: '',
  Origin: 'https://shop.example',
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'content-type',
};

/** Requests to paths that every gateway serves, and to some that no gateway serves. */
export function ofAddresses(store: OpenStore): NamedExchange[] {
  const variations: readonly Variation[] = [
    ...BY_KEYS,
    { headers: { Accept: 'text/html' } },
    { method: 'OPTIONS', headers: PREFLIGHT },
    ...['OPTIONS', 'PUT', 'DELETE', 'TRACE'].map((method) => ({ method })),
  ];
  return PATHS.flatMap((path) => varied({ name: path, method: 'GET', path }, variations, store));
}

const OF_OPERATIONS: readonly Variation[] = [
  ...BY_KEYS,
  { headers: { Accept: 'text/html' } },
  { headers: { Accept: 'application/problem+json' }, id: 'x' },
  { headers: { 'If-None-Match': '*' } },
  ...['"other"', 'x'].map((tag) => ({ headers: { 'If-Match': tag } })),
  ...['one', '""'].map((key) => ({ headers: { 'Idempotency-Key': key } })),
  { headers: { Prefer: 'handling=strict' }, search: '?other=1' },
  { headers: { 'X-Request-Id': 'of-client', Origin: 'https://shop.example' } },
  ...['0', '99', 'x', '%ff', '2/'].map((id) => ({ id })),
  ...'?limit=1 ?limit=0 ?limit=1&limit=2 ?other=1 ?after=5 ?%ff'.split(' ').map((search) => ({
    search,
  })),
];
const OF_BODIES: readonly Variation[] = [
  ...['', '{', '{}', '[]', 'null', '{"other":1}', ' '.repeat(100_001)].map((body) => ({ body })),
  ...['text/plain', 'application/merge-patch+json', 'application/json; charset=utf-16'].map(
    (type) => ({ headers: { 'Content-Type': type } }),
  ),
  { headers: { 'Content-Encoding': 'compress' } },
  { headers: { Prefer: 'handling=strict' }, body: '{"other":1}' },
];

/** Valid and invalid requests for each operation of the contract, like those of the contract tests. */
export async function ofContract(store: OpenStore): Promise<NamedExchange[]> {
  const headers = { Authorization: `Bearer ${store.keys.get('unrestricted') ?? ''}` };
  const contract = await fetch(`${store.url}/v1/openapi.json`, { headers });
  const exchanges: NamedExchange[] = [];
  for (const operation of contractOf(await contract.json()).operations) {
    const { id: name, method, path, parameters, body: content } = operation;
    const found = await fetch(store.url + path.replaceAll(/\{\w+\}/g, '2'), { headers });
    const tag = found.headers.get('ETag') ?? '';
    const body = content && JSON.stringify(content.example);
    const members = content ? Object.keys(object(content.schema['properties'])) : [];
    const variations = [
      ...OF_OPERATIONS,
      ...PAIRS_OF_FAULTS.filter((variation) => content || variation.body === undefined),
      ...(content ? OF_BODIES : []),
      ...parameters.map((parameter) => ({ search: `?${String(parameter['name'])}=` })),
      ...['If-Match', 'If-None-Match'].map((condition) => ({ headers: { [condition]: tag } })),
      ...members.flatMap((member) =>
        [null, {}].map((value) => ({
          body: JSON.stringify({ ...content?.example, [member]: value }),
        })),
      ),
    ];
    exchanges.push(...varied({ name, method, path, body }, variations, store));
  }
  return exchanges;
}
