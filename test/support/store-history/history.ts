import type { Answer } from '../ask.ts';
import {
  animalsIn,
  covers,
  isInOrder,
  type Animal,
  type Change,
  type Creation,
  type Read,
  type Removal,
  type Representation,
  type Request,
  type Status,
  type Writes,
} from '../store-requests.ts';
import {
  createRows,
  FIELDS,
  intersection,
  NOTHING_YET,
  REMOVED,
  union,
  type Row,
  type Span,
  type Value,
} from './rows.ts';

/** What an answer says of one animal. */
interface Claim {
  /** Its id. */
  readonly row: number;
  readonly words: () => string;
  /** When it may have been so. */
  readonly when: () => readonly Span[];
}

const isNone = (value: Value): boolean => value === NOTHING_YET || value === REMOVED;

function claim(row: Row, says: string, when: Claim['when']): Claim {
  const { id, name, categoryId } = row;
  const words = () =>
    `${says} ${id}, which may have been [${name.toString()}] of [${categoryId.toString()}]`;
  return { row: id, words, when };
}

/** The animal is as it is shown. */
const isAsShown = (row: Row, animal: Animal): Claim[] =>
  FIELDS.map((field) =>
    claim(row, `it shows ${animal[field]};`, () =>
      row[field].when((value) => value === animal[field]),
    ),
  );

/** It is none of a list of animals, which have a status, if any. */
const isNotListed = (row: Row, status: Status | undefined): Claim =>
  claim(row, 'it misses', () =>
    row.name.when(
      (name) => isNone(name) || (status !== undefined && !String(name).startsWith(`${status} `)),
    ),
  );

const isGone = (row: Row): Claim => claim(row, 'there is', () => row.name.when(isNone));

const isThere = (row: Row): Claim =>
  claim(row, 'there was none:', () => row.name.when((name) => !isNone(name)));

/** It isn't there as it was shown before. */
const isOtherThan = (row: Row, animal: Animal): Claim =>
  claim(row, 'it was as expected:', () =>
    union(FIELDS.flatMap((field) => row[field].when((value) => value !== animal[field]))),
  );

/** What an answer says of the store as it was at one moment between a request and its answer. */
interface Observation {
  readonly words: () => string;
  readonly span: Span;
  readonly claims: readonly Claim[];
}

/** Why there can't have been such a moment, in words; undefined if there can. */
function faultOf({ words, span, claims }: Observation): string | undefined {
  let moments: readonly Span[] = [span];
  for (const { when, words: saysOfOne } of claims) {
    const left = intersection(moments, when());
    if (left.length === 0) {
      const alone = intersection([span], when()).length > 0;
      return `${words()}: ${saysOfOne()}${alone ? ', but never at once with the rest' : ''}`;
    }
    moments = left;
  }
  return undefined;
}

/** An answer that tells of animals. What it leaves out is known once all animals are. */
interface Told extends Omit<Observation, 'claims'> {
  readonly claims: () => readonly Claim[];
  /** Animals that it says are not there, if that counts from then on. */
  readonly absent?: () => readonly Row[];
}

export interface Verdict {
  /** What should not have been answered, in words; [] if the store was linearizable. */
  readonly faults: readonly string[];
  /** How many claims the answers made. */
  readonly checks: number;
}

/**
 * Holds each answer against what all of them say.
 *
 * @param isAtOnce whether all that an answer says has to have been so at one moment
 */
function verdictOf(answers: readonly Told[], isAtOnce: boolean): Verdict {
  for (const { span, absent } of answers) {
    for (const { name } of absent?.() ?? []) {
      // One that had been there is gone.
      if (name.existsBy() < span.from) name.shown(REMOVED, span);
    }
  }
  const observations = answers.map((told) => ({ ...told, claims: told.claims() }));
  return {
    faults: observations.flatMap((observation) =>
      (isAtOnce ? [observation] : byRow(observation)).flatMap((each) => faultOf(each) ?? []),
    ),
    checks: observations.reduce((sum, { claims }) => sum + claims.length, 0),
  };
}

/** What an answer says of each animal alone. */
function byRow({ claims, ...observation }: Observation): Observation[] {
  return Array.from(Map.groupBy(claims, ({ row }) => row).values(), (ofRow) => ({
    ...observation,
    claims: ofRow,
  }));
}

/** Where and when something was asked: `started` counts what the clients have sent and received. */
interface Asked extends Request {
  readonly gateway: number;
  readonly started: number;
}

/** A request, and when it was sent and answered. */
interface Exchange {
  readonly asked: Asked;
  readonly span: Span;
}

function wordsOf({
  asked: { call, body, headers, gateway },
  span: { from, to },
}: Exchange): string {
  const told = [body, headers].map((sent) =>
    sent === undefined ? '' : ` ${JSON.stringify(sent)}`,
  );
  return `${call}${told.join('')}, sent to gateway ${gateway} at ${from} and answered at ${to},`;
}

type Recorder = ReturnType<typeof createRecorder>;

/** @param isLearned whether what is shown without having been acknowledged must be shown from then on */
function createRecorder(isLearned: boolean, isAtOnce: boolean) {
  const rows = createRows(isLearned);
  const answers: Told[] = [];
  const faults: string[] = [];
  const done = new Map<string, Exchange>();
  const underKeys = new Map<string, string>();

  const fault = (exchange: Exchange, text: string): void => {
    faults.push(`${wordsOf(exchange)} ${text}`);
  };
  /** Notes something that must not be done again. */
  const once = (exchange: Exchange, what: string): void => {
    const earlier = done.get(what);
    if (earlier !== undefined) fault(exchange, `did again: ${what}, after ${wordsOf(earlier)}`);
    done.set(what, exchange);
  };
  return {
    rows,
    isLearned,
    tell: (exchange: Exchange, told: Omit<Told, 'words' | 'span'>): void => {
      answers.push({ words: () => wordsOf(exchange), span: exchange.span, ...told });
    },
    fault,
    once,
    /** Notes a success under an idempotency key, of which there is one, answered alike each time. */
    answeredUnder: (key: string, exchange: Exchange, { isReplay, text }: Answer): void => {
      if (!isReplay) once(exchange, `what has the Idempotency-Key ${key}`);
      const first = underKeys.get(key) ?? text;
      underKeys.set(key, first);
      if (first !== text) fault(exchange, `was answered with ${text}, and before with ${first}`);
    },
    verdict: (): Verdict => {
      const verdict = verdictOf(answers, isAtOnce);
      return { ...verdict, faults: [...faults, ...verdict.faults] };
    },
  };
}

/**
 * What an answer of either surface says of its request. What is unknown may have been done, or may be yet: on a machine
 * with too much to do the database may answer too late, and that tells a client nothing.
 */
type StoreOutcome = 'done' | 'absent' | 'mismatched' | 'unknown' | 'failed';

const OF_STATUS: Readonly<Record<number, StoreOutcome>> = {
  200: 'done',
  201: 'done',
  204: 'done',
  304: 'done',
  404: 'absent',
  412: 'mismatched',
  503: 'unknown',
};

const OF_CODE: Readonly<Record<string, StoreOutcome>> = {
  NOT_FOUND: 'absent',
  PRECONDITION_FAILED: 'mismatched',
  SERVICE_UNAVAILABLE: 'unknown',
};

function storeOutcomeOf({ call, status, text }: Answer): StoreOutcome {
  if (call.endsWith('/graphql') && text.includes('"errors":')) {
    const [, code = ''] = /"code":"(\w+)"/.exec(text) ?? [];
    return OF_CODE[code] ?? 'failed';
  }
  return OF_STATUS[status] ?? 'failed';
}

/** Records what the answer to a read shows, and so what it leaves out. */
function heardOfRead(
  { rows, isLearned, tell, fault }: Recorder,
  exchange: Exchange,
  read: Read,
  shown: readonly Animal[],
  lastId: number,
): void {
  if (!isInOrder(read, lastId, shown)) {
    fault(exchange, `was answered with ${JSON.stringify(shown)}, which is not what was asked for`);
  }
  for (const animal of shown) {
    if (isLearned) {
      rows.shown(animal, exchange.span);
    } else {
      rows.of(animal);
    }
  }
  const ids = new Set(shown.map(({ id }) => id));
  const status = 'id' in read ? undefined : read.status;
  const left = () =>
    rows.all().filter(({ id }) => !ids.has(id) && covers(read, { lastId, shown }, id));
  tell(exchange, {
    claims: () => [
      ...shown.flatMap((animal) => isAsShown(rows.of(animal), animal)),
      ...left().map((row) => isNotListed(row, status)),
    ],
    // Another status may be why it is left out.
    ...(isLearned && status === undefined && { absent: left }),
  });
}

/** Records what an answer says of what it was to change, and of how that was before. */
function heardOfChange(
  recorder: Recorder,
  exchange: Exchange,
  wanted: Creation | Change | Removal,
  answer: Answer,
): void {
  const outcome = storeOutcomeOf(answer);
  const existing = wanted.does === 'create' ? undefined : wanted;
  const [expected] = existing?.expected ? animalsIn(existing.expected) : [];
  if (outcome === 'done') {
    const key = exchange.asked.headers?.['Idempotency-Key'];
    if (key !== undefined) recorder.answeredUnder(key, exchange, answer);
    if (wanted.does === 'remove') {
      heardOfRemoval(recorder, exchange, wanted, answer);
    } else {
      heardOfWrites(recorder, exchange, wanted.writes, answer);
    }
    if (expected !== undefined && !answer.isReplay) heardOfMatch(recorder, exchange, expected);
  } else if (existing && outcome === 'absent') {
    heardOfRefusal(recorder, exchange, existing);
  } else if (existing && expected && outcome === 'mismatched') {
    heardOfRefusal(recorder, exchange, existing, expected);
  } else {
    recorder.fault(exchange, `failed: ${answer.status} ${answer.text}`);
  }
}

/** Records what an answer shows that is the animal as the request has left it. */
function heardOfWrites(
  { rows, tell, fault }: Recorder,
  exchange: Exchange,
  writes: Writes,
  { isReplay, text }: Answer,
): void {
  const [animal, ...others] = animalsIn({ text });
  const hasAll = FIELDS.every((field) => animal?.[field] === (writes[field] ?? animal?.[field]));
  if (animal === undefined || others.length > 0 || !hasAll) {
    fault(exchange, `was answered with ${text}`);
  } else if (isReplay) {
    // As it was then: what it is now is another question.
    rows.written(animal, writes, exchange.span.to);
  } else {
    rows.shown(animal, exchange.span);
    tell(exchange, { claims: () => isAsShown(rows.of(animal), animal) });
  }
}

/** Records a removal, whose answer may show the animal as it was before. */
function heardOfRemoval(
  { rows, tell, once }: Recorder,
  exchange: Exchange,
  { id }: Removal,
  { isReplay, text }: Answer,
): void {
  const row = rows.open(id);
  row.name.written(REMOVED, exchange.span.to);
  if (isReplay) {
    return;
  }
  once(exchange, `the removal of ${id}`);
  const [before] = animalsIn({ text });
  if (before !== undefined) rows.shown(before, exchange.span);
  tell(exchange, { claims: () => (before ? isAsShown(rows.of(before), before) : [isThere(row)]) });
  tell(exchange, { claims: () => [isGone(row)] });
}

/** Records that an animal was as the request had expected, which its change has put an end to. */
function heardOfMatch({ rows, tell, once }: Recorder, exchange: Exchange, animal: Animal): void {
  once(exchange, `a change of ${JSON.stringify(animal)}`);
  rows.shown(animal, exchange.span);
  tell(exchange, { claims: () => isAsShown(rows.of(animal), animal) });
}

/** Records that nothing was written, because the animal was gone, or other than expected. */
function heardOfRefusal(
  { rows, isLearned, tell }: Recorder,
  exchange: Exchange,
  wanted: Change | Removal,
  expected?: Animal,
): void {
  const row = rows.open(wanted.id);
  if (wanted.does === 'remove') {
    row.name.refused(REMOVED);
  } else {
    rows.refused(wanted.writes, wanted.id);
  }
  tell(exchange, {
    claims: () => [expected === undefined ? isGone(row) : isOtherThan(row, expected)],
    ...(expected === undefined && isLearned && { absent: () => [row] }),
  });
}

/** What entity tags stand for, which is one text for each tag of an address. */
function createRepresentations() {
  const texts = new Map<string, string>();
  const newest = new Map<string, Representation>();
  return {
    /**
     * Notes the tag of an answer, and puts into one that says that nothing has changed what the tag stands for, as if it were
     * sent again. Undefined if the tag stands for something else, or for nothing.
     */
    complete: (
      { call, headers }: Pick<Request, 'call' | 'headers'>,
      answer: Answer,
    ): Answer | undefined => {
      const { status, etag: tag, text } = answer;
      if (status === 304) {
        const known = texts.get(`${call} ${headers?.['If-None-Match'] ?? ''}`);
        return known === undefined ? undefined : { ...answer, text: known };
      }
      if (tag === null) {
        return answer;
      }
      // The answer to a change is what a GET has from then on.
      const address = call.replace('PATCH', 'GET');
      const name = `${address} ${tag}`;
      const known = texts.get(name) ?? text;
      texts.set(name, known);
      newest.set(address, { tag, text });
      return known === text ? answer : undefined;
    },
    newest: (call: string) => newest.get(call),
  };
}

export interface HistoryOptions {
  /** Whether what a read has shown must be shown from then on, too, even if it was never acknowledged. */
  readonly learnsFromReads?: boolean;
  /** Whether a read shows the store as it was at one moment; else it shows each animal so. */
  readonly readsAtOnce?: boolean;
}

export type StoreHistory = ReturnType<typeof createStoreHistory>;

/**
 * What clients of several gateways have been told, in the order in which it came and they asked.
 *
 * @param lastId the greatest id that was given out before
 */
export function createStoreHistory(
  lastId: number,
  { learnsFromReads = true, readsAtOnce = true }: HistoryOptions = {},
) {
  let clock = 0;
  const recorder = createRecorder(learnsFromReads, readsAtOnce);
  const { rows, fault } = recorder;
  const representations = createRepresentations();

  const heard = (exchange: Exchange, answer: Answer): void => {
    const { wanted } = exchange.asked;
    const outcome = storeOutcomeOf(answer);
    if (outcome === 'unknown') {
      return;
    }
    if (wanted.does !== 'read') {
      heardOfChange(recorder, exchange, wanted, answer);
    } else if (outcome === 'done' || (outcome === 'absent' && 'id' in wanted.read)) {
      const shown = outcome === 'done' ? animalsIn(answer) : [];
      heardOfRead(recorder, exchange, wanted.read, shown, lastId);
    } else {
      fault(exchange, `failed: ${answer.status} ${answer.text}`);
    }
  };

  return {
    ask: (gateway: number, request: Request): Asked => {
      clock += 1;
      const { wanted } = request;
      if (wanted.does === 'create') rows.asked(wanted.writes, undefined, clock);
      if (wanted.does === 'change') rows.asked(wanted.writes, wanted.id, clock);
      if (wanted.does === 'remove') rows.open(wanted.id).name.asked(REMOVED, clock);
      return { ...request, gateway, started: clock };
    },
    heard: (asked: Asked, answer: Answer): void => {
      clock += 1;
      const exchange = { asked, span: { from: asked.started, to: clock } };
      const whole = representations.complete(asked, answer);
      if (whole === undefined) {
        fault(exchange, `has the entity tag of something else: ${answer.status} ${answer.text}`);
      } else {
        heard(exchange, whole);
      }
    },
    /** The animals that clients have heard of, also of those that are gone. */
    ids: (): readonly number[] => rows.all().map(({ id }) => id),
    /** What an address was last answered with. */
    newest: representations.newest,
    verdict: recorder.verdict,
  };
}
