// Runs the same operations with every client. Prints as JSON the client's row for docs/graphql-client.md and the statuses
// that it received.
import { isDeepStrictEqual } from 'node:util';

const { ANIMAL_STORE_URL, API_KEY } = process.env;

export interface Settings {
  readonly url: string;
  readonly headers: { readonly Authorization: string };
  /** Whether to configure a client that throws by default to return data beside errors. */
  readonly tolerant: boolean;
}

/** Executes a document as the client's documentation shows. Throws if the client throws. */
export type Execute = (
  document: string,
  variables: Record<string, unknown>,
) => Promise<{ readonly data?: any; readonly error?: unknown }>;

let accept: string | undefined;
let sent: { accept: string; status: number }[] = [];
const send = globalThis.fetch;
globalThis.fetch = async (address, init) => {
  const headers = new Headers(init?.headers);
  if (accept !== undefined) {
    headers.set('Accept', accept);
  }
  const response = await send(address, { ...init, headers });
  // fetch sends this Accept by default.
  sent.push({ accept: headers.get('Accept') ?? '*/*', status: response.status });
  return response;
};

/** Returns the GraphQL errors, wherever the client's error object contains them. */
function errorsIn(error: any): any[] {
  const places = [
    error?.graphQLErrors,
    error?.errors,
    error?.response?.errors,
    error?.source?.errors,
  ];
  return places.find((errors) => Array.isArray(errors) && errors.length > 0) ?? [];
}

/** Returns an operation's result as the client's user sees it. */
async function seen(execute: Execute, document: string, variables: Record<string, unknown>) {
  let throws = false;
  const { data, error } = await execute(document, variables).catch((thrown: unknown) => {
    throws = true;
    return { data: undefined, error: thrown };
  });
  const [first] = errorsIn(error);
  const faults = first?.extensions.faults?.map(({ path }: any) => path.join('.')).join();
  return { throws, data: data ?? undefined, code: first?.extensions.code, faults };
}

type Seen = Awaited<ReturnType<typeof seen>>;

const PETS = 'query PetsQuery { pets(limit: 1) { id name } }';
const PARTIAL = 'query PartialQuery($id: ID!) { pet(id: $id) { id } pets(limit: 1) { id name } }';
const CREATE =
  'mutation CreatePetMutation($input: NewPet!) { createPet(input: $input) { id categoryId } }';
const PAGE = `query PageQuery($after: ID) {
  petsConnection(status: available, limit: 2, after: $after) {
    nodes { id name }
    pageInfo { hasNextPage endCursor }
  }
}`;
const LARGEST = '9223372036854775807';

/** Returns the distinct names on all pages. A cache that joins pages returns those of earlier pages again. */
async function namesOnPages(execute: Execute): Promise<string> {
  const names = new Set<string>();
  let variables: Record<string, unknown> = {};
  for (let more = true; more;) {
    const { data } = await execute(PAGE, variables);
    const { nodes, pageInfo } = data.petsConnection;
    nodes.forEach(({ name }: { name: string }) => names.add(name));
    more = pageInfo.hasNextPage;
    variables = { after: pageInfo.endCursor };
  }
  return [...names].join(' ');
}

function inWords({ throws, data, code }: Seen): string {
  const error = code === undefined ? '' : `\`${code}\``;
  if (throws) {
    return `throws ${error}`;
  }
  if (data === undefined) {
    return error;
  }
  return error === '' && data.pet === null
    ? 'data without the error'
    : ['data', error].filter(Boolean).join(' and ');
}

export async function report(connect: (settings: Settings) => Execute): Promise<void> {
  const settings = {
    url: `${ANIMAL_STORE_URL}/graphql`,
    headers: { Authorization: `Bearer ${API_KEY}` },
  };
  // A new client for each operation, so that no response comes from a cache.
  const client = (tolerant = false) => connect({ ...settings, tolerant });
  const doAll = async (asked: string | undefined) => {
    accept = asked;
    sent = [];
    const outcomes = {
      success: await seen(client(), PETS, {}),
      partial: await seen(client(), PARTIAL, { id: '0' }),
      invalid: await seen(client(), CREATE, { input: { name: 'Rex' } }),
      tolerated: await seen(client(true), PARTIAL, { id: '0' }),
    };
    return { outcomes, exchanges: sent };
  };
  const own = await doAll(undefined);
  const response = await doAll('application/graphql-response+json');
  const json = await doAll('application/json');
  accept = undefined;

  const { success, partial, invalid, tolerated } = response.outcomes;
  const tolerance = inWords(tolerated);
  const created = await seen(client(), CREATE, {
    input: { name: 'Rex', categoryId: LARGEST, status: 'sold' },
  });
  const row = {
    'Data beside an error':
      inWords(partial) +
      (tolerance === inWords(partial) ? '' : `; ${tolerance} with \`errorPolicy: 'all'\``),
  };
  const rest = {
    // The first of several media types with the same weight.
    prefers: own.exchanges[0]?.accept.split(/[,;]/)[0],
    success: inWords(success),
    invalid: `${inWords(invalid)} ${invalid.faults}`,
    names: await namesOnPages(client()),
    largest: created.data.createPet.categoryId,
  };
  const statuses = [own, response, json].map(({ exchanges }) =>
    exchanges.slice(0, 3).map(({ status }) => status),
  );
  const isSame = isDeepStrictEqual(response.outcomes, json.outcomes);
  console.log(JSON.stringify({ row, rest, statuses, isSame }));
}
