import { LazyPromise } from '../lazy-result.ts';

/** The result of a call, unless a transaction runs it. */
export class LazyCall extends LazyPromise {
  readonly #runBy: (client: object) => Promise<unknown>;

  constructor(client: object, runBy: (client: object) => Promise<unknown>) {
    super(() => runBy(client));
    this.#runBy = runBy;
  }

  /** Runs it by a transaction. */
  in(transaction: object): Promise<unknown> {
    return this.#runBy(transaction);
  }
}
