import { recorder } from '@gateway/telemetry/recorder';
import { tracer } from '@gateway/telemetry/tracer';

/** One of the calls that were made in a moment, to be answered on its own. */
export interface Call<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls that are run together, at most. Answering them is one turn of the event loop, and as long as one
 * lasts nobody else gets in: libuv accepts a single connection in each.
 */
const AT_MOST = 32;

/** Milliseconds after which a batch that is still under way no longer holds up those behind it. */
const PATIENCE = 20;

/**
 * Batches in a row after which a database that has answered none of them in that time gets all that wait: one
 * after the other they would wait for the longer the more they are, and it may not answer at all.
 */
const UNANSWERED = 10;

/**
 * Collects the calls of a moment, so that they go to the database in one statement: a moment is the time
 * that the statement before takes, or, if none is under way, one turn of the event loop. A call is only
 * ever run by a statement that is sent after it was made, so that it sees all that was committed by then.
 *
 * @param run answers each of the calls; if it rejects instead, so do those that are not answered yet
 */
export function inBatches<Ask, Answer>(
  run: (calls: readonly Call<Ask, Answer>[]) => Promise<void>,
): (ask: Ask) => Promise<Answer> {
  return tracer.batches(collect)(run);
}

function collect<Ask, Answer>(
  run: (calls: readonly Call<Ask, Answer>[]) => Promise<void>,
): (ask: Ask) => Promise<Answer> {
  let waiting: Call<Ask, Answer>[] = [];
  let underWay = 0;
  let unanswered = 0;
  let turnEnds = false;

  function send(): void {
    turnEnds = false;
    if (waiting.length > 0 && underWay === 0) {
      sendBatch();
    }
  }

  function sendBatch(): void {
    const calls = waiting.slice(0, AT_MOST);
    waiting = waiting.slice(AT_MOST);
    recorder.batchSent(calls.length);
    underWay += 1;
    let held = true;
    const release = (): void => {
      clearTimeout(patience);
      if (held) {
        held = false;
        underWay -= 1;
        // At once, so that the database works while this process answers.
        send();
      }
    };
    const patience = setTimeout(() => {
      unanswered += 1;
      release();
      while (unanswered >= UNANSWERED && waiting.length > 0) {
        sendBatch();
      }
    }, PATIENCE);
    const succeed = (): void => {
      unanswered = 0;
      release();
    };
    run(calls).then(succeed, (error: unknown) => {
      release();
      for (const { reject } of calls) {
        reject(error);
      }
    });
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      if (!turnEnds && underWay === 0) {
        turnEnds = true;
        setImmediate(send);
      }
    });
}
