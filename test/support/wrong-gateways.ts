import type { Mutation } from './changed-sources.ts';

/** A gateway's fault that a client with sequential or single requests would not notice. */
interface WrongGateway extends Mutation {
  readonly what: string;
  /** Matches all faults that are reported about it, and no others. */
  readonly faults: RegExp;
}

const HANDLERS = 'packages/data/src/call-handlers.ts';
const WRITE = 'const written = await table.write({ write: encoded, audit });';
const PAGES = 'page && (async () => projectPage(await table.findPages([page]), projection));';
const COALESCE = 'packages/ops/src/coalescing/coalesce.ts';

/** Returns the source text of an expression that is true every second time. */
const everySecond = (name: string) =>
  `(globalThis.${name} = (globalThis.${name} ?? 0) + 1) % 2 === 0`;

/**
 * Matches a wrong animal: one shown as it was not at that time, omitted, or treated as missing, present or changed
 * because of what other responses show.
 */
export const WRONG_ANIMAL = /: (?:it (?:shows|misses|was)|there (?:is|was)) /;

/** Ways in which gateways could show stale data, or forget what they have acknowledged. */
const FAULTS: readonly (Mutation & Pick<WrongGateway, 'what'> & Partial<WrongGateway>)[] = [
  {
    what: 'forgets a change',
    file: HANDLERS,
    text: WRITE,
    replacement: `const [found] = operation === 'update' ? await table.findByIds([encoded.id]) : [];
      const written = found && ${everySecond('changes')}
        ? { row: { ...found, ...args['data'] } }
        : await table.write({ write: encoded, audit });`,
  },
  {
    what: 'forgets a removal',
    file: HANDLERS,
    text: WRITE,
    replacement: `const written = operation === 'delete'
        ? { row: (await table.findByIds([encoded.id]))[0] }
        : await table.write({ write: encoded, audit });`,
  },
  {
    what: 'repeats its last change',
    file: HANDLERS,
    text: WRITE,
    replacement: `const written = await table.write({ write: encoded, audit });
      const { last } = globalThis;
      if (operation !== 'create') globalThis.last = encoded;
      if (last) await table.write({ write: last, audit });`,
  },
  {
    what: 'overwrites columns it was not sent',
    file: HANDLERS,
    text: WRITE,
    replacement: `const [{ id, ...found } = {}] = operation === 'update' ? await table.findByIds([encoded.id]) : [];
      await new Promise((resolve) => { setTimeout(resolve, 5); });
      const write = id === undefined
        ? encoded
        : table.encodeChange(operation, { ...args, data: { ...found, ...args['data'] } });
      const written = await table.write({ write, audit });`,
  },
  {
    what: 'lists animals as they were before',
    file: HANDLERS,
    text: PAGES,
    replacement: `page && (async () => {
      const pages = (globalThis.pages ??= new Map());
      const name = [page.shape.name, page.limit, page.values].join();
      const now = await table.findPages([page]);
      const before = pages.get(name) ?? now;
      pages.set(name, now);
      return projectPage(before, projection);
    });`,
  },
  {
    what: 'shows a removed animal again',
    file: HANDLERS,
    text: 'const [found] = await findByIds([id], conditions);',
    replacement: `const seen = (globalThis.seen ??= new Map());
      const [now] = await findByIds([id], conditions);
      if (now) seen.set(id, now);
      const found = now ?? (${everySecond('misses')} ? seen.get(id) : undefined);`,
  },
  {
    what: 'ignores idempotency keys',
    file: 'packages/gateway/src/schema/idempotency.ts',
    text: 'if (key === undefined) {',
    replacement: 'if (key !== null) {',
    faults: /did again: | and before with |: (?:it (?:shows|misses|was)|there (?:is|was)) /,
  },
  {
    what: 'ignores versions',
    file: 'packages/resource/src/writes.ts',
    text: '? asRead(seen.row) :',
    replacement: '? {} :',
    faults: /did again: |: (?:it (?:shows|misses|was)|there (?:is|was)) /,
  },
  {
    what: 'refuses a current version',
    file: 'packages/resource/src/writes.ts',
    text: '? asRead(seen.row) :',
    replacement: `&& !(${everySecond('matches')}) ? asRead(seen.row) :`,
    faults: /: it was as expected: /,
  },
  {
    what: 'leaves a column out of entity tags',
    file: 'packages/resource/src/row-version.ts',
    text: 'for (const name of names) {',
    replacement: `for (const name of names.filter((column) => column !== 'categoryId')) {`,
    faults:
      / the entity tag of something else|did again: |: (?:it (?:shows|misses|was)|there (?:is|was)) /,
  },
  {
    what: 'calls everything unchanged',
    file: 'packages/rest/src/serve.ts',
    text: 'sendNotModified(response, etag())',
    replacement: `sendNotModified(response, request.headers['if-none-match'] ?? etag())`,
  },
  {
    what: 'joins a read in flight',
    file: COALESCE,
    // The result is read for several callers, as if they had waited for it.
    text: `const result = start(isAlone);
    const end = (): void => {
      if (run.next === undefined && runs.get(key) === run) {
        runs.delete(key);
      }
    };
    const run: Run<Result> = { settled: result.then(end, end), next: undefined, waiting: 0 };`,
    replacement: `const result = start(false);
    const end = (): void => {
      if (runs.get(key) === run) {
        runs.delete(key);
      }
    };
    const run: Run<Result> = { settled: result.then(end, end), next: result, waiting: 1 };`,
  },
  {
    what: 'joins the next read once it began',
    file: COALESCE,
    text: 'run.next ??= orTimeout(run.settled).then(() => begin(key, start, run.waiting === 1));',
    replacement:
      'run.next ??= run.settled.then(() => start(false)).finally(() => runs.delete(key));',
  },
];

export const WRONG_GATEWAYS = FAULTS.map((fault): WrongGateway =>
  Object.assign({ faults: WRONG_ANIMAL }, fault),
);
