import type { Clock } from './clock.ts';

/** A thread's work until it waits again. */
interface Burst {
  /** When it is done, in the machine's own time. */
  readonly end: number;
  readonly done: () => void;
}

/**
 * Cores that all running threads share alike, as Linux shares them (processor sharing): its own time, the work that each of
 * them has been given, stands still for nobody and is slower the more of them there are.
 */
export class Machine {
  /** Core-microseconds used. */
  used = 0;
  readonly #clock: Clock;
  readonly #cores: number;
  readonly #running: Burst[] = [];
  #time = 0;
  #since = 0;
  #version = 0;

  constructor(clock: Clock, cores: number) {
    this.#clock = clock;
    this.#cores = cores;
  }

  /** Has a thread work for so many microseconds of CPU. */
  run(work: number, done: () => void): void {
    this.#advance();
    this.used += work;
    const burst = { end: this.#time + work, done };
    // Ordered; threads are few.
    let place = this.#running.length;
    while (place > 0 && (this.#running[place - 1]?.end ?? 0) <= burst.end) place -= 1;
    this.#running.splice(place, 0, burst);
    this.#plan();
  }

  get #speed(): number {
    return Math.min(1, this.#cores / this.#running.length);
  }

  #advance(): void {
    if (this.#running.length > 0) this.#time += (this.#clock.now - this.#since) * this.#speed;
    this.#since = this.#clock.now;
  }

  /** Ends the first burst in time; whatever changes meanwhile makes another plan. */
  #plan(): void {
    this.#version += 1;
    const version = this.#version;
    const next = this.#running.at(-1);
    if (next === undefined) return;
    this.#clock.after(Math.max(0, next.end - this.#time) / this.#speed, () => {
      if (version !== this.#version) return;
      this.#advance();
      this.#running.pop();
      this.#plan();
      next.done();
    });
  }
}
