import type { IncomingMessage, ServerResponse } from 'node:http';
import { keyNotAccepted } from '@store-gateway/ops/errors';
import { idempotencyKeyOf } from './message/idempotency-key.ts';
import { isRead } from './message/methods.ts';
import { expectUtf8Query } from './message/query.ts';

/** A request that may go on. */
interface Admitted<Caller> {
  /** Who asks. */
  readonly caller: Caller;
  /** Milliseconds that this took, of the request's deadline; by default none. */
  readonly waited?: number;
  /** Awaited between receiving and parsing the body, for requests to take turns; by default they don't. */
  readonly turn?: () => Promise<void>;
}

/** Authenticates and counts a request, or throws: `codedError('UNAUTHENTICATED', …)`, for example. */
export type Admit<Caller> = (exchange: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}) => Admitted<Caller> | Promise<Admitted<Caller>>;

/** What an operation is planned and executed for. */
interface ExecutionRequest<Caller> {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  /** Milliseconds of the request's deadline that have passed. */
  readonly waited: number;
  /** Called if a write was done before, under the key. */
  readonly onReplay?: (() => void) | undefined;
}

/** How an API answers a request, by steps that may each refuse it with an error. */
export interface Exchange<Caller, Body, Operation, Result> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** By the request's head: what the caller may do, and how the response is written. */
  readonly accept: (caller: Caller) => void;
  /** Whether its writes can be done once under an idempotency key. */
  readonly acceptsKey: boolean;
  /** Reads the body, if there is one. */
  readonly read: (turn: () => Promise<void>) => Body | Promise<Body>;
  /** Makes the operation that the request asks for. */
  readonly plan: (body: Body, request: ExecutionRequest<Caller>) => Operation | Promise<Operation>;
  /** Executes it. From here on, the request counts as executed, whatever becomes of it. */
  readonly execute: (
    operation: Operation,
    request: ExecutionRequest<Caller>,
  ) => Result | Promise<Result>;
  /** Writes the response. */
  readonly represent: (
    result: Result,
    request: ExecutionRequest<Caller> & { readonly isReplay: boolean },
  ) => void | Promise<void>;
  /** Called if a caller's request to change something was refused before it was executed. */
  readonly onRefused?: ((caller: Caller, error: unknown) => void) | undefined;
}

const NO_TURN = (): Promise<void> => Promise.resolve();

/** Runs a request of either API through its steps, in the order of STEPS (steps.ts). */
export async function takeExchange<Caller, Body, Operation, Result>(
  exchange: Exchange<Caller, Body, Operation, Result>,
  admit: Admit<Caller>,
): Promise<void> {
  const { request, response } = exchange;
  const { caller, waited = 0, turn = NO_TURN } = await admit({ request, response });
  const reads = isRead(request);
  let isReplay = false;
  let isPlanned = false;
  try {
    exchange.accept(caller);
    expectUtf8Query(request.url);
    const idempotencyKey = reads ? undefined : idempotencyKeyOf(request);
    if (idempotencyKey !== undefined && !exchange.acceptsKey) {
      // If it were ignored, a retry would do again what the client takes for done once.
      throw keyNotAccepted();
    }
    const onReplay = reads ? undefined : () => (isReplay = true);
    const execution = { caller, idempotencyKey, waited, onReplay };
    const operation = await exchange.plan(await exchange.read(turn), execution);
    isPlanned = true;
    const result = await exchange.execute(operation, execution);
    await exchange.represent(result, { ...execution, isReplay });
  } catch (error) {
    if (!isPlanned && !reads) {
      exchange.onRefused?.(caller, error);
    }
    throw error;
  }
}
