import type { Answer } from '../ask.ts';
import { animalsIn } from '../store-reads.ts';
import type { Request } from '../store-requests.ts';
import { heardOfChange } from './heard-change.ts';
import { heardOfRead } from './heard-read.ts';
import { storeOutcomeOf } from './outcome.ts';
import { createRecorder, type Asked, type Exchange } from './recorder.ts';
import { REMOVED } from './register.ts';
import { createRepresentations, type Representation } from './representations.ts';
import type { Verdict } from './verdict.ts';

/** What clients of several gateways have been told, in the order in which it came and they asked. */
export interface StoreHistory {
  readonly ask: (gateway: number, request: Request) => Asked;
  readonly heard: (asked: Asked, answer: Answer) => void;
  /** The animals that clients have heard of, also of those that are gone. */
  readonly ids: () => readonly number[];
  /** What an address was last answered with. */
  readonly newest: (call: string) => Representation | undefined;
  readonly verdict: () => Verdict;
}

export interface HistoryOptions {
  /** Whether what a read has shown must be shown from then on, too, even if it was never acknowledged. */
  readonly learnsFromReads?: boolean;
  /** Whether a read shows the store as it was at one moment; else it shows each animal so. */
  readonly readsAtOnce?: boolean;
}

/** @param lastId the greatest id that was given out before */
export function createStoreHistory(
  lastId: number,
  { learnsFromReads = true, readsAtOnce = true }: HistoryOptions = {},
): StoreHistory {
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
    ask: (gateway, request) => {
      clock += 1;
      const { wanted } = request;
      if (wanted.does === 'create') rows.asked(wanted.writes, undefined, clock);
      if (wanted.does === 'change') rows.asked(wanted.writes, wanted.id, clock);
      if (wanted.does === 'remove') rows.open(wanted.id).name.asked(REMOVED, clock);
      return { ...request, gateway, started: clock };
    },
    heard: (asked, answer) => {
      clock += 1;
      const exchange = { asked, span: { from: asked.started, to: clock } };
      const whole = representations.complete(asked, answer);
      if (whole === undefined) {
        fault(exchange, `has the entity tag of something else: ${answer.status} ${answer.text}`);
      } else {
        heard(exchange, whole);
      }
    },
    ids: () => rows.all().map(({ id }) => id),
    newest: representations.newest,
    verdict: recorder.verdict,
  };
}
