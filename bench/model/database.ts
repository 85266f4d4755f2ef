import type { Clock } from './clock.ts';
import type { Costs } from './costs.ts';
import type { Draw } from './draw.ts';
import type { Machine } from './machine.ts';

/** PostgreSQL: each statement has a process of its own. */
export class Database {
  /** CPU microseconds used. */
  used = 0;
  readonly #clock: Clock;
  readonly #machine: Machine;
  /** Microseconds to it and back. */
  readonly #roundTrip: number;
  readonly #draw: Draw;

  constructor(clock: Clock, machine: Machine, roundTrip: number, draw: Draw) {
    this.#clock = clock;
    this.#machine = machine;
    this.#roundTrip = roundTrip;
    this.#draw = draw;
  }

  /** Executes a statement of so many requests. */
  execute(costs: Costs, requests: number, done: () => void): void {
    this.#clock.after(this.#roundTrip / 2, () => {
      let work = this.#draw(costs.execution);
      for (let request = 0; request < requests; request += 1) work += this.#draw(costs.row);
      this.used += work;
      this.#machine.run(work, () => {
        this.#clock.after(costs.wait + this.#roundTrip / 2, done);
      });
    });
  }
}
