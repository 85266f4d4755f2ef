/** Decisions by a list of numbers, which fast-check makes and makes smaller: those that are missing are 0. */
export class Choices {
  readonly #numbers: readonly number[];
  #taken = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  below(limit: number): number {
    const number = this.#numbers[this.#taken] ?? 0;
    this.#taken += 1;
    return number % limit;
  }

  of<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) {
      throw new Error('nothing to choose from');
    }
    return item;
  }

  /** Each of some items or not. */
  some<Item>(items: readonly Item[]): Item[] {
    return items.filter(() => this.below(2) === 1);
  }

  /** Once in so many times; never, if there are no numbers any more. */
  rarely(times: number): boolean {
    return this.below(times) === times - 1;
  }
}
