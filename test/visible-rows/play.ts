import { isDeepStrictEqual } from 'node:util';
import { memberAt, objectsIn } from '../support/json-members.ts';
import type { Case, Step } from './cases.ts';
import {
  ANN,
  CALLERS,
  changedWorld,
  MODELS,
  perModel,
  sees,
  TABLES,
  type Design,
  type Model,
  type Row,
  type World,
} from './design.ts';
import type { Exchange } from './requests.ts';
import type { Leak } from './schema.ts';
import type { Served } from './serve.ts';

type Tables = readonly [Served['tables'], Served['tables']];

const differences = (what: string, [a, b]: readonly [unknown, unknown]) =>
  isDeepStrictEqual(a, b) ? [] : [`${what} ${JSON.stringify(a)} or ${JSON.stringify(b)}`];

/** Returns how ann can distinguish the worlds, or what else is wrong, up to the first step with a fault. */
export async function faultsOf(
  { design, worlds, steps }: Case,
  [one, other]: readonly [Served, Served],
  leak?: Leak,
): Promise<string[]> {
  const tables = [one.tables, other.tables] as const;
  await inBoth((index) => tables[index].write(worlds[index]));
  await using first = await one.serve(design, leak);
  await using second = await other.serve(design, leak);
  const exchanges = [new Exchanges(first.url), new Exchanges(second.url)] as const;
  const remembered = new Remembered();

  async function faultsOfAsking({ exchange, beside }: Step & { readonly kind: 'ask' }) {
    const before = await inBoth((index) => tables[index].rows());
    const resolved = remembered.resolve(exchange);
    const answers = await inBoth((index) => askTogether(exchanges[index], resolved, beside));
    answers[0].forEach((answer) => remembered.add(answer));
    const after = await inBoth((index) => tables[index].rows());
    return [
      ...differences(`${JSON.stringify(resolved)} is answered`, answers),
      ...faultsOfEffects(design, before[0], after[0]),
      ...faultsOfEffects(design, before[1], after[1]),
      ...differences('the next ids are', await inBoth((index) => tables[index].nextIds())),
    ];
  }

  for (const [number, step] of steps.entries()) {
    const faults: string[] = [];
    if (step.kind === 'hide') {
      await hide(design, step, tables);
    } else if (step.kind === 'other') {
      await inBoth((index) => exchanges[index].send(step.caller, step.exchanges[index]));
      // In one of the worlds, the request may have used up an id.
      await inBoth((index) => tables[index].restartIds(200 + 100 * number));
    } else {
      faults.push(...(await faultsOfAsking(step)));
    }
    const seen = await inBoth(async (index) => visibleIn(design, await tables[index].rows()));
    faults.push(...differences('ann sees', seen));
    if (faults.length > 0) {
      return faults.map((fault) => `step ${number}, ${JSON.stringify(step)}: ${fault}`);
    }
  }
  const listed = await inBoth(async (index) =>
    faultsOfLists(design, await tables[index].rows(), exchanges[index]),
  );
  return listed.flat();
}

/** Changes a row in both worlds, if constraints allow it and ann still sees the same in both afterwards. */
async function hide(
  design: Design,
  { model, id, values }: Step & { readonly kind: 'hide' },
  tables: Tables,
): Promise<void> {
  const [first, second] = await inBoth(async (index) =>
    changedWorld(await tables[index].rows(), model, id, values[index]),
  );
  if (first && second && isDeepStrictEqual(visibleIn(design, first), visibleIn(design, second))) {
    await inBoth((index) => tables[index].change(model, id, values[index]));
  }
}

function inBoth<Result>(
  act: (index: 0 | 1) => Promise<Result>,
): Promise<readonly [Result, Result]> {
  return Promise.all([act(0), act(1)]);
}

/** Returns ann's answers while others send the same request. */
async function askTogether(
  exchanges: Exchanges,
  exchange: Exchange,
  beside: readonly string[],
): Promise<readonly Answer[]> {
  const callers = [...beside, ANN];
  const answers = await Promise.all(callers.map((caller) => exchanges.send(caller, exchange)));
  return answers.filter((_answer, index) => callers[index] === ANN);
}

/** Returns the rows in a world that a caller sees. */
function visibleIn({ rules }: Design, world: World, caller: string = ANN): World {
  return perModel((model) => world[model].filter((row) => sees(rules[model], caller, row)));
}

const rowWithId = (rows: readonly Row[], { id }: Row) => rows.find((each) => each['id'] === id);

/**
 * Returns ann's effects on hidden rows: requests by ann must neither change nor create any. When ann removes a row,
 * foreign keys still act on hidden rows: they are set to null, and tags are removed with their note.
 */
function faultsOfEffects(design: Design, before: World, after: World): string[] {
  return MODELS.flatMap((model) => {
    const isHidden = (row: Row) => !sees(design.rules[model], ANN, row);
    const changed = before[model].filter(isHidden).flatMap((row) => {
      const lost = TABLES[model].references.filter(
        ({ model: to, foreignKey }) =>
          row[foreignKey] !== null &&
          MODELS.every(
            (each) => each !== to || after[each].every(({ id }) => id !== row[foreignKey]),
          ),
      );
      const emptied = Object.fromEntries(lost.map(({ foreignKey }) => [foreignKey, null]));
      const now = rowWithId(after[model], row);
      const isRight =
        now === undefined
          ? model === 'Tag' && lost.length > 0
          : isDeepStrictEqual({ ...now }, { ...row, ...emptied });
      return isRight
        ? []
        : [
            `ann has changed a hidden ${model}: ${JSON.stringify(row)} is now ${JSON.stringify(now)}`,
          ];
    });
    const created = after[model].filter(isHidden).flatMap((row) => {
      const was = rowWithId(before[model], row);
      return was !== undefined && isHidden(was)
        ? []
        : [`ann has made a hidden ${model} of ${JSON.stringify(was)}: ${JSON.stringify(row)}`];
    });
    return [...changed, ...created];
  });
}

/** Returns what is wrong with the lists that callers get: each must see all rows that it may see, and their relations. */
async function faultsOfLists(
  design: Design,
  world: World,
  exchanges: Exchanges,
): Promise<string[]> {
  // All requests are sent at the same time, so that a caller could get what another one sees.
  const asked = CALLERS.flatMap((caller) =>
    MODELS.map((model) => faultsOfList(design, world, exchanges, { caller, model })),
  );
  return (await Promise.all(asked)).flat();
}

async function faultsOfList(
  design: Design,
  world: World,
  exchanges: Exchanges,
  { caller, model }: { readonly caller: string; readonly model: Model },
): Promise<string[]> {
  const { name, relations } = TABLES[model];
  const visible = visibleIn(design, world, caller);
  const selected = relations.filter(({ isList }) => (isList ? design.toMany : design.toOne));
  const isCounted = design.isCounted && (model === 'Note' || model === 'Folder');
  const counted = isCounted ? `${name}Connection(limit: 1) { totalCount }` : '';
  const fields = selected.map(
    ({ field, isList }) => `${field}${isList ? '(limit: 30)' : ''} { id }`,
  );
  const query = `{ ${name}(limit: 50) { id ${fields.join(' ')} } ${counted} }`;
  const { text } = await exchanges.send(caller, {
    method: 'POST',
    path: '/graphql',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const shown = visible[model].map((row) => {
    const related = selected.map(({ field, model: to, foreignKey, isList }): [string, unknown] => {
      const all = MODELS.flatMap((each) => (each === to ? visible[each] : []));
      const [inOther, inRow] = isList ? [foreignKey, 'id'] : ['id', foreignKey];
      const ids = all.filter((other) => other[inOther] === row[inRow]).map(({ id }) => ({ id }));
      return [field, isList ? ids : (ids[0] ?? null)];
    });
    const shownRow: Record<string, unknown> = Object.fromEntries([['id', row['id']], ...related]);
    return shownRow;
  });
  const count = isCounted && { [`${name}Connection`]: { totalCount: shown.length } };
  const expected = JSON.stringify({ data: { [name]: shown, ...count } });
  return text === expected ? [] : [`${caller} gets ${text} for ${query}, not ${expected}`];
}

/** Everything in a response that a client can compare. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Headers that differ between any two responses. */
const IGNORED = new Set(['date', 'x-request-id', 'connection', 'keep-alive']);

/** Sends callers' requests. */
class Exchanges {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async send(caller: string, { path, headers, ...init }: Exchange): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      ...init,
      headers: { ...headers, Authorization: `Bearer ${caller}` },
    });
    const text = await response.text();
    const compared = [...response.headers].filter(([name]) => !IGNORED.has(name));
    return { status: response.status, headers: Object.fromEntries(compared), text: sorted(text) };
  }
}

/** Sorts the errors in a response, because which of several fields fails first is undetermined. */
function sorted(text: string): string {
  if (!text.startsWith('{"errors":[')) {
    return text;
  }
  const json: unknown = JSON.parse(text);
  const errors = objectsIn(memberAt(json, 'errors')).map((error) => JSON.stringify(error));
  return `{"errors":[${errors.toSorted().join(',')}],"data":${JSON.stringify(memberAt(json, 'data'))}}`;
}

/** Values from responses that a client may send back. */
class Remembered {
  readonly #values = {
    cursor: new Set<string>(),
    version: new Set<string>(),
    etag: new Set<string>(),
  };

  add({ headers: { etag, link = '' }, text }: Answer): void {
    const { cursor, version, etag: etags } = this.#values;
    if (etag !== undefined) {
      etags.add(etag);
    }
    for (const [, value = ''] of text.matchAll(/"version":"([^"]*)"/g)) {
      version.add(value);
    }
    for (const [, value = ''] of text.matchAll(/"(?:cursor|startCursor|endCursor)":"([^"]*)"/g)) {
      cursor.add(value);
    }
    for (const [, value = ''] of link.matchAll(/[?&]after=([^&>]*)/g)) {
      cursor.add(value);
    }
  }

  /** Replaces the exchange's placeholders with values, or with `none` if there is no such value yet. */
  resolve({ path, headers, body, ...rest }: Exchange): Exchange {
    return {
      ...rest,
      path: this.#in(path),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, this.#in(value)]),
      ),
      ...(body !== undefined && { body: this.#in(body) }),
    };
  }

  #in(text: string): string {
    return text.replaceAll(
      /\{\{(cursor|version|etag):(\d+)\}\}/g,
      (_all, name: string, number: string) => {
        const kind = name === 'cursor' || name === 'version' ? name : 'etag';
        const values = [...this.#values[kind]];
        return values[Number(number) % values.length] ?? (kind === 'etag' ? '"none"' : 'none');
      },
    );
  }
}
