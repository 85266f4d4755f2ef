import type { Answer } from '../ask.ts';
import { animalsIn, type Animal } from '../store-reads.ts';
import type { Change, Creation, Removal } from '../store-requests.ts';
import { isAsShown, isGone, isOtherThan, isThere } from './claims.ts';
import { storeOutcomeOf } from './outcome.ts';
import type { Exchange, Recorder } from './recorder.ts';
import { REMOVED } from './register.ts';
import { FIELDS, type Writes } from './rows.ts';

/** Records what an answer says of what it was to change, and of how that was before. */
export function heardOfChange(
  recorder: Recorder,
  exchange: Exchange,
  wanted: Creation | Change | Removal,
  answer: Answer,
): void {
  const outcome = storeOutcomeOf(answer);
  const existing = wanted.does === 'create' ? undefined : wanted;
  const [expected] = existing?.expected ? animalsIn(existing.expected) : [];
  if (outcome === 'done') {
    heardOfSuccess(recorder, exchange, wanted, answer);
    if (expected !== undefined && !answer.isReplay) heardOfMatch(recorder, exchange, expected);
  } else if (existing && outcome === 'absent') {
    heardOfRefusal(recorder, exchange, existing);
  } else if (existing && expected && outcome === 'mismatched') {
    heardOfRefusal(recorder, exchange, existing, expected);
  } else {
    recorder.fault(exchange, `failed: ${answer.status} ${answer.text}`);
  }
}

function heardOfSuccess(
  recorder: Recorder,
  exchange: Exchange,
  wanted: Creation | Change | Removal,
  answer: Answer,
): void {
  const key = exchange.asked.headers?.['Idempotency-Key'];
  if (key !== undefined) recorder.answeredUnder(key, exchange, answer);
  if (wanted.does === 'remove') {
    heardOfRemoval(recorder, exchange, wanted, answer);
  } else {
    heardOfWrites(recorder, exchange, wanted.writes, answer);
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
  if (animal === undefined || others.length > 0 || !hasAll(animal, writes)) {
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

function hasAll(animal: Animal, writes: Writes): boolean {
  return FIELDS.every((field) => animal[field] === (writes[field] ?? animal[field]));
}
