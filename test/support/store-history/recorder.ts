import type { Answer } from '../ask.ts';
import type { Request } from '../store-requests.ts';
import { createRows, type Rows } from './rows.ts';
import type { Span } from './spans.ts';
import { verdictOf, type Told, type Verdict } from './verdict.ts';

/** Where and when something was asked: `started` counts what the clients have sent and received. */
export interface Asked extends Request {
  readonly gateway: number;
  readonly started: number;
}

/** A request, and when it was sent and answered. */
export interface Exchange {
  readonly asked: Asked;
  readonly span: Span;
}

export interface Recorder {
  readonly rows: Rows;
  /** Whether what is shown without having been acknowledged must be shown from then on. */
  readonly isLearned: boolean;
  readonly tell: (exchange: Exchange, told: Omit<Told, 'words' | 'span'>) => void;
  readonly fault: (exchange: Exchange, text: string) => void;
  /** Notes something that must not be done again. */
  readonly once: (exchange: Exchange, what: string) => void;
  /** Notes a success under an idempotency key, of which there is one, answered alike each time. */
  readonly answeredUnder: (key: string, exchange: Exchange, answer: Answer) => void;
  readonly verdict: () => Verdict;
}

export function createRecorder(isLearned: boolean, isAtOnce: boolean): Recorder {
  const rows = createRows(isLearned);
  const answers: Told[] = [];
  const faults: string[] = [];
  const done = new Map<string, Exchange>();
  const underKeys = new Map<string, string>();

  const fault = (exchange: Exchange, text: string): void => {
    faults.push(`${wordsOf(exchange)} ${text}`);
  };
  const once = (exchange: Exchange, what: string): void => {
    const earlier = done.get(what);
    if (earlier !== undefined) fault(exchange, `did again: ${what}, after ${wordsOf(earlier)}`);
    done.set(what, exchange);
  };
  return {
    rows,
    isLearned,
    tell: (exchange, told) => {
      answers.push({ words: () => wordsOf(exchange), span: exchange.span, ...told });
    },
    fault,
    once,
    answeredUnder: (key, exchange, { isReplay, text }) => {
      if (!isReplay) once(exchange, `what has the Idempotency-Key ${key}`);
      const first = underKeys.get(key) ?? text;
      underKeys.set(key, first);
      if (first !== text) fault(exchange, `was answered with ${text}, and before with ${first}`);
    },
    verdict: () => {
      const verdict = verdictOf(answers, isAtOnce);
      return { ...verdict, faults: [...faults, ...verdict.faults] };
    },
  };
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
