/** What happens at its time, unless it was put off. */
interface Appointment {
  readonly time: number;
  /** Of two at the same time, the one that was made first goes first. */
  readonly order: number;
  readonly act: () => void;
}

/** Simulated time, in microseconds. */
export class Clock {
  now = 0;
  #made = 0;
  /** A binary heap: the next appointment is the first. */
  readonly #heap: Appointment[] = [];

  after(delay: number, act: () => void): void {
    this.#made += 1;
    const added = { time: this.now + delay, order: this.#made, act };
    let place = this.#heap.push(added) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#swapsIfEarlier(place, parent)) break;
      place = parent;
    }
  }

  /** Lets time pass until the next appointment; false if there is none. */
  runNext(): boolean {
    const [next] = this.#heap;
    if (next === undefined) return false;
    this.#removeFirst();
    this.now = next.time;
    next.act();
    return true;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let place = 0; ;) {
      const left = 2 * place + 1;
      const child = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#swapsIfEarlier(child, place)) break;
      place = child;
    }
  }

  #swapsIfEarlier(place: number, than: number): boolean {
    const a = this.#heap[place];
    const b = this.#heap[than];
    if (a === undefined || b === undefined || !this.#isEarlier(place, than)) return false;
    this.#heap[than] = a;
    this.#heap[place] = b;
    return true;
  }

  #isEarlier(place: number, than: number): boolean {
    const a = this.#heap[place];
    const b = this.#heap[than];
    if (a === undefined || b === undefined) return false;
    return a.time < b.time || (a.time === b.time && a.order < b.order);
  }
}
