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

/** A statement that a response makes about one animal. */
interface Claim {
  /** The animal's id. */
  readonly row: number;
  readonly words: () => string;
  /** Returns when the claim may have been true. */
  readonly when: () => readonly Span[];
}

const isNone = (value: Value): boolean => value === NOTHING_YET || value === REMOVED;

function claim(row: Row, says: string, when: Claim['when']): Claim {
  const { id, name, categoryId } = row;
  const words = () =>
    `${says} ${id}, which may have been [${name.toString()}] of [${categoryId.toString()}]`;
  return { row: id, words, when };
}

/** The animal is as the response shows it. */
const isAsShown = (row: Row, animal: Animal): Claim[] =>
  FIELDS.map((field) =>
    claim(row, `it shows ${animal[field]};`, () =>
      row[field].when((value) => value === animal[field]),
    ),
  );

/** The animal is not in a list of all animals, or of those with a status. */
const isNotListed = (row: Row, status: Status | undefined): Claim =>
  claim(row, 'it misses', () =>
    row.name.when(
      (name) => isNone(name) || (status !== undefined && !String(name).startsWith(`${status} `)),
    ),
  );

const isGone = (row: Row): Claim => claim(row, 'there is', () => row.name.when(isNone));

const isThere = (row: Row): Claim =>
  claim(row, 'there was none:', () => row.name.when((name) => !isNone(name)));

/** The animal is not as a response showed it before. */
const isOtherThan = (row: Row, animal: Animal): Claim =>
  claim(row, 'it was as expected:', () =>
    union(FIELDS.flatMap((field) => row[field].when((value) => value !== animal[field]))),
  );

/** What a response claims about the store at one moment between the request and the response. */
interface Observation {
  readonly words: () => string;
  readonly span: Span;
  readonly claims: readonly Claim[];
}

/** Returns why no such moment can have existed, in words, or undefined if one can. */
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

/** A response that shows animals. What it omits can only be determined when all animals are known. */
interface Told extends Omit<Observation, 'claims'> {
  readonly claims: () => readonly Claim[];
  /** Animals that it claims are missing, if they must stay missing from then on. */
  readonly absent?: () => readonly Row[];
}

export interface Verdict {
  /** The wrong responses, in words; [] if the store was linearizable. */
  readonly faults: readonly string[];
  /** The number of claims that the responses made. */
  readonly checks: number;
}

/**
 * Checks each response against the information in all of them.
 *
 * @param isAtOnce whether all claims in a response must have been true at one moment
 */
function verdictOf(answers: readonly Told[], isAtOnce: boolean): Verdict {
  for (const { span, absent } of answers) {
    for (const { name } of absent?.() ?? []) {
      // An animal that existed before has been removed.
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

/** Splits a response's claims by animal. */
function byRow({ claims, ...observation }: Observation): Observation[] {
  return Array.from(Map.groupBy(claims, ({ row }) => row).values(), (ofRow) => ({
    ...observation,
    claims: ofRow,
  }));
}

/** A sent request: `started` is the moment by a clock that counts what clients send and receive. */
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

/** @param isLearned whether a value that a response shows must be shown from then on, even without an acknowledgement */
function createRecorder(isLearned: boolean, isAtOnce: boolean) {
  const rows = createRows(isLearned);
  const answers: Told[] = [];
  const faults: string[] = [];
  const done = new Map<string, Exchange>();
  const underKeys = new Map<string, string>();

  const fault = (exchange: Exchange, text: string): void => {
    faults.push(`${wordsOf(exchange)} ${text}`);
  };
  /** Records something that must not be done twice. */
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
    /** Records a success under an idempotency key. Only one may have an effect, and all responses must be equal. */
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
 * What a response of either API says about its request. If the outcome is unknown, the request may have taken effect or
 * may still do so: on an overloaded machine, the database may answer too late for the client to learn the outcome.
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

/** Records what the response to a read shows, and what it therefore omits. */
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
    // With a status filter, an animal may be omitted because its status differs.
    ...(isLearned && status === undefined && { absent: left }),
  });
}

/** Records what a response says about the change that it requested, and about the animal's earlier state. */
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

/** Records the animal in a response as the request has left it. */
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
    // A replay shows the animal as it was then, not as it is now.
    rows.written(animal, writes, exchange.span.to);
  } else {
    rows.shown(animal, exchange.span);
    tell(exchange, { claims: () => isAsShown(rows.of(animal), animal) });
  }
}

/** Records a removal, whose response may show the animal as it was before. */
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

/** Records that an animal matched the request's expectation, which the request's change ended. */
function heardOfMatch({ rows, tell, once }: Recorder, exchange: Exchange, animal: Animal): void {
  once(exchange, `a change of ${JSON.stringify(animal)}`);
  rows.shown(animal, exchange.span);
  tell(exchange, { claims: () => isAsShown(rows.of(animal), animal) });
}

/** Records that nothing was written, because the animal was missing or not as expected. */
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

/** Stores the text that each entity tag stands for; at one address, a tag always stands for the same text. */
function createRepresentations() {
  const texts = new Map<string, string>();
  const newest = new Map<string, Representation>();
  return {
    /**
     * Records a response's tag. A 304 is completed with the text that its tag stands for, as if that had been sent
     * again. Returns undefined if the tag stands for a different text, or for none.
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
      // The response to a change is what a GET returns from then on.
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
  /** Whether a value that a read has shown must be shown from then on, even if it was never acknowledged. */
  readonly learnsFromReads?: boolean;
  /** Whether a read shows the whole store as it was at one moment; otherwise, each animal may be from a different moment. */
  readonly readsAtOnce?: boolean;
}

export type StoreHistory = ReturnType<typeof createStoreHistory>;

/**
 * Records the requests that clients send to several gateways and their responses, in the order in which they were sent
 * and received.
 *
 * @param lastId the greatest id that was assigned before
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
    /** Returns the ids of all animals that clients have seen, including removed ones. */
    ids: (): readonly number[] => rows.all().map(({ id }) => id),
    /** Returns the latest response for an address. */
    newest: representations.newest,
    verdict: recorder.verdict,
  };
}
