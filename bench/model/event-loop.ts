import type { Machine } from './machine.ts';

/** Something that a thread does. */
export interface Step {
  /** CPU microseconds. */
  readonly work: number;
  /** Called when they are used; the steps that it gives come next. */
  readonly act: () => readonly Step[];
}

/**
 * A single thread that takes all events that are there in a turn, one after the other, and then what was put off to the end
 * of the turn (setImmediate).
 */
export class EventLoop {
  /** CPU microseconds used. */
  used = 0;
  /** How often it was woken up. */
  wakeUps = 0;
  readonly #machine: Machine;
  /** CPU microseconds to be woken up. */
  readonly #wakeUp: number;
  #events: Step[] = [];
  #immediates: Step[] = [];
  #isTurning = false;

  constructor(machine: Machine, wakeUp = 0) {
    this.#machine = machine;
    this.#wakeUp = wakeUp;
  }

  /** Takes an event in the next turn, which begins at once if the loop is idle. */
  arrive(event: Step): void {
    this.#events.push(event);
    if (!this.#isTurning) {
      this.wakeUps += 1;
      this.#turn(this.#wakeUp);
    }
  }

  /** Does something at the end of this turn. */
  immediate(step: Step): void {
    this.#immediates.push(step);
  }

  #turn(work: number): void {
    this.#isTurning = this.#events.length > 0;
    if (!this.#isTurning) return;
    const takeEvents = () => {
      const events = this.#events;
      this.#events = [];
      return events;
    };
    const takeImmediates = () => {
      const immediates = this.#immediates;
      this.#immediates = [];
      return immediates;
    };
    this.#do([{ work, act: takeEvents }], () => {
      this.#do(takeImmediates(), () => {
        this.#turn(0);
      });
    });
  }

  /** Does the steps, and those that follow from each, in their order. */
  #do(steps: readonly Step[], done: () => void): void {
    const left = steps.toReversed();
    const next = () => {
      const step = left.pop();
      if (step === undefined) {
        done();
        return;
      }
      this.used += step.work;
      this.#machine.run(step.work, () => {
        left.push(...step.act().toReversed());
        next();
      });
    };
    next();
  }
}
