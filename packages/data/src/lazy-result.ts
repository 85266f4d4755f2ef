import { callMethod } from './prisma-internals.ts';
import { ListedRows } from './rows.ts';

/** A promise that runs its call when it is first awaited, like the promises of Prisma's client. */
export class LazyPromise implements Promise<unknown> {
  readonly #run: () => Promise<unknown>;
  #promise: Promise<unknown> | undefined;

  constructor(run: () => Promise<unknown>) {
    this.#run = run;
  }

  get [Symbol.toStringTag](): string {
    return 'PrismaPromise';
  }

  // oxlint-disable-next-line unicorn/no-thenable -- like Prisma's own promises, it runs only when it is awaited
  then<Fulfilled = unknown, Rejected = never>(
    onFulfilled?: ((value: unknown) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#promise ??= this.#run();
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
}

/** The result of a call. If it is an element of `$transaction([…])`, the engine runs the call instead. */
export class LazyResult extends LazyPromise {
  readonly #byEngine: () => unknown;

  constructor(run: () => Promise<unknown>, byEngine: () => unknown) {
    super(run);
    this.#byEngine = byEngine;
  }

  requestTransaction(transaction: unknown): unknown {
    return callMethod(this.#byEngine(), 'requestTransaction', [transaction]);
  }

  /** Returns a relation's rows, for Prisma's fluent API. */
  related(relation: string, args: unknown): unknown {
    return callMethod(this.#byEngine(), relation, [args]);
  }
}

/** The rows of a list, which are decoded when they are awaited. */
export class LazyRows extends LazyResult {
  /** Returns the rows as the database's texts if a statement has read whole rows, for callers that only serialize them. */
  readonly texts: () => Promise<unknown>;

  constructor(run: () => Promise<unknown>, byEngine: () => unknown) {
    super(async () => {
      const found = await run();
      return found instanceof ListedRows ? found.decoded() : found;
    }, byEngine);
    this.texts = run;
  }
}

/** Returns a class of results with a method for each relation. */
export function fluentResult(relations: readonly string[]): typeof LazyResult {
  class FluentResult extends LazyResult {}
  for (const relation of relations) {
    Object.defineProperty(FluentResult.prototype, relation, {
      value(this: LazyResult, args: unknown): unknown {
        return this.related(relation, args);
      },
    });
  }
  return FluentResult;
}
