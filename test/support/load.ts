const CALLERS = 20;
const CREATE =
  'mutation ($name: String!) { createPet(input: { name: $name, categoryId: 1 }) { id } }';

/** What a caller asks for by turns; where it adds an animal, of a name of its own. */
const CALLS: readonly { readonly call: string; readonly body?: (name: string) => object }[] = [
  { call: 'POST /v1/pets', body: (name) => ({ name, categoryId: 1 }) },
  { call: 'GET /v1/pets' },
  { call: 'POST /graphql', body: (name) => ({ query: CREATE, variables: { name } }) },
  { call: 'GET /graphql?query={pets{id}}' },
];

export interface Answer {
  readonly call: string;
  /** 0 if there was none; the text says why. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  /** When it was asked for, by performance.now(). */
  readonly asked: number;
  readonly milliseconds: number;
}

export interface Load extends AsyncDisposable {
  /** All so far; `name` is of the animal that was to be added, if one was. */
  readonly answers: readonly (Answer & { readonly name: string })[];
  /** Resolves once every caller has got as many more answers of these statuses as there are calls. */
  readonly allAnswered: (statuses: readonly number[]) => Promise<void>;
  /** Lets what is under way be answered, and ends. */
  readonly end: () => Promise<void>;
}

/** Callers of both surfaces who ask for one thing after the other, as fast as they are answered, if they are. */
export function startLoad(url: string, key: string): Load {
  const answers: (Answer & { readonly name: string })[] = [];
  const ending = new AbortController();
  let notice: ((caller: number, status: number) => void) | undefined;

  const run = async (caller: number) => {
    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      for (const { call, body } of CALLS) {
        const name = `${call} ${caller} ${turn}`;
        const answer = await ask(url, key, call, body?.(name));
        answers.push({ ...answer, name });
        notice?.(caller, answer.status);
        if (answer.status === 0) {
          return;
        }
      }
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, (_, caller) => run(caller)));

  const end = async () => {
    ending.abort();
    await callers;
  };
  return {
    answers,
    allAnswered: (statuses) =>
      new Promise((resolve) => {
        const missing = Array.from({ length: CALLERS }, () => CALLS.length);
        notice = (caller, status) => {
          missing[caller] = (missing[caller] ?? 0) - (statuses.includes(status) ? 1 : 0);
          if (missing.every((count) => count <= 0)) {
            resolve();
          }
        };
      }),
    end,
    [Symbol.asyncDispose]: end,
  };
}

/** Sends a request, of which `call` is the method and the path. */
export async function ask(url: string, key: string, call: string, body?: object): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const asked = performance.now();
  try {
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const milliseconds = performance.now() - asked;
    const retryAfter = answer.headers.get('Retry-After');
    return { call, status: answer.status, retryAfter, text, asked, milliseconds };
  } catch (error) {
    const milliseconds = performance.now() - asked;
    return { call, status: 0, retryAfter: null, text: String(error), asked, milliseconds };
  }
}
