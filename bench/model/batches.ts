import type { Costs } from './costs.ts';
import type { Database } from './database.ts';
import type { Draw } from './draw.ts';
import type { EventLoop, Step } from './event-loop.ts';

/** Called when a response is sent. */
type Respond = () => void;

/** The threads of a gateway process. */
export interface Process {
  readonly main: EventLoop;
  /** All others as one. */
  readonly others: EventLoop;
}

/**
 * Requests of a kind in a gateway process: those that arrive while a statement is in flight wait for the next one
 * (packages/coalescing/src/batcher.ts). Its timeouts are left out.
 */
export class Batches {
  statements = 0;
  requests = 0;
  /** Requests without a response. */
  open = 0;
  readonly #process: Process;
  readonly #database: Database;
  readonly #costs: Costs;
  readonly #draw: Draw;
  #waiting: Respond[] = [];
  #inFlight = 0;
  #isScheduled = false;

  constructor(process: Process, database: Database, costs: Costs, draw: Draw) {
    this.#process = process;
    this.#database = database;
    this.#costs = costs;
    this.#draw = draw;
  }

  /** A request arrives. */
  arrive(respond: Respond): void {
    this.open += 1;
    this.#process.main.arrive(
      this.#half(this.#costs.request, () => {
        this.#waiting.push(respond);
        if (!this.#isScheduled && this.#inFlight < this.#costs.maxInFlight) {
          this.#isScheduled = true;
          this.#process.main.immediate({ work: 0, act: () => this.#send() });
        }
        return [];
      }),
    );
  }

  #send(): readonly Step[] {
    this.#isScheduled = false;
    if (this.#waiting.length === 0 || this.#inFlight >= this.#costs.maxInFlight) return [];
    const requests = this.#waiting.slice(0, this.#costs.maxBatch);
    this.#waiting = this.#waiting.slice(this.#costs.maxBatch);
    this.#inFlight += 1;
    this.statements += 1;
    this.requests += requests.length;
    const execute = () => {
      this.#database.execute(this.#costs, requests.length, () => {
        this.#settle(requests);
      });
      return [];
    };
    // More than one where statements are not batched.
    return [this.#half(this.#costs.statement, execute), { work: 0, act: () => this.#send() }];
  }

  #settle(requests: readonly Respond[]): void {
    const responses = requests.map((respond) =>
      this.#half(this.#costs.request + 2 * this.#costs.crowd * (this.open - 1), () => {
        this.open -= 1;
        respond();
        return [];
      }),
    );
    this.#process.main.arrive(
      this.#half(this.#costs.statement, () => {
        this.#inFlight -= 1;
        return [...this.#send(), ...responses];
      }),
    );
  }

  /** Half of what something takes: before PostgreSQL has executed a statement, or after it. */
  #half(work: number, act: () => readonly Step[]): Step {
    const half = this.#draw(work / 2);
    const mainThread = half * this.#costs.mainThread;
    return {
      work: mainThread,
      act: () => {
        this.#process.others.arrive({ work: half - mainThread, act: () => [] });
        return act();
      },
    };
  }
}
