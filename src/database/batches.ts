/** One of the calls that were made in a moment, to be answered on its own. */
export interface Call<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface Batching<Ask, Answer> {
  /** Answers each of the calls. If it rejects instead, so do those that are not answered yet. */
  readonly run: (calls: readonly Call<Ask, Answer>[]) => Promise<void>;
  /** Calls that are run together, at most. */
  readonly atMost: number;
}

/** Milliseconds after which a batch that is still under way no longer holds up those behind it. */
const PATIENCE = 20;

/**
 * Collects the calls of a moment, so that they go to the database in one statement: a moment is the time
 * that the statement before takes, or, if none is under way, one turn of the event loop. A call is only
 * ever run by a statement that is sent after it was made, so that it sees all that was committed by then.
 */
export function inBatches<Ask, Answer>({
  run,
  atMost,
}: Batching<Ask, Answer>): (ask: Ask) => Promise<Answer> {
  let waiting: Call<Ask, Answer>[] = [];
  let underWay = 0;
  let turnEnds = false;

  function send(): void {
    turnEnds = false;
    if (waiting.length === 0 || underWay > 0) {
      return;
    }
    const calls = waiting.slice(0, atMost);
    waiting = waiting.slice(atMost);
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
    const patience = setTimeout(release, PATIENCE);
    run(calls).then(release, (error: unknown) => {
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
