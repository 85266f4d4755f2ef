/** What Prisma's client gives for a call: it runs when it is awaited, or as an element of a transaction. */
export interface EngineResult extends PromiseLike<unknown> {
  readonly requestTransaction: (transaction: unknown) => unknown;
}

/** Thrown by what can't answer a call after all. */
export class LeftToEngine extends Error {}

export interface Ways {
  readonly byStatement: () => Promise<unknown>;
  readonly byEngine: () => EngineResult;
  /** Called when the statement has answered. */
  readonly onAnswer: () => void;
  /** Whether the database has found fault with a batch: then the engine answers each of its calls by itself. */
  readonly isFault: (error: unknown) => boolean;
}

/** A result as Prisma's client gives it, which a statement answers unless a transaction wants it. */
export class LazyResult implements EngineResult, Promise<unknown> {
  readonly #ways: Ways;
  #promise: Promise<unknown> | undefined;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  get [Symbol.toStringTag](): string {
    return 'PrismaPromise';
  }

  // oxlint-disable-next-line unicorn/no-thenable -- as Prisma's own: it is awaited, and runs no sooner
  then<Fulfilled = unknown, Rejected = never>(
    onFulfilled?: ((value: unknown) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#run().then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<unknown> {
    return this.#run().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    return this.#run().finally(onFinally);
  }

  requestTransaction(transaction: unknown): unknown {
    return this.#ways.byEngine().requestTransaction(transaction);
  }

  /** The rows of a relation, by Prisma's fluent API. */
  related(relation: string, args: unknown): unknown {
    const result = this.#ways.byEngine();
    const load: unknown = Reflect.get(result, relation);
    return typeof load === 'function' ? Reflect.apply(load, result, [args]) : undefined;
  }

  #run(): Promise<unknown> {
    const { byStatement, byEngine, onAnswer, isFault } = this.#ways;
    this.#promise ??= byStatement().then(
      (result) => {
        onAnswer();
        return result;
      },
      (error: unknown) => {
        if (error instanceof LeftToEngine || isFault(error)) {
          return byEngine();
        }
        throw error;
      },
    );
    return this.#promise;
  }
}

/** Results with a method for each relation. */
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
