/** A result as Prisma's client gives it: it runs when it is awaited, unless a transaction runs it. */
export class LazyCall implements Promise<unknown> {
  readonly #run: (client: object) => Promise<unknown>;
  readonly #client: object;
  #promise: Promise<unknown> | undefined;

  constructor(client: object, run: (client: object) => Promise<unknown>) {
    this.#client = client;
    this.#run = run;
  }

  get [Symbol.toStringTag](): string {
    return 'PrismaPromise';
  }

  // oxlint-disable-next-line unicorn/no-thenable -- as Prisma's own: it is awaited, and runs no sooner
  then<Fulfilled = unknown, Rejected = never>(
    onFulfilled?: ((value: unknown) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#promise ??= this.#run(this.#client);
    return this.#promise.then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<unknown> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    return this.then(undefined).finally(onFinally);
  }

  /** Runs it by a transaction. */
  in(transaction: object): Promise<unknown> {
    return this.#run(transaction);
  }
}
