import type { IncomingMessage, ServerResponse } from 'node:http';
import { keyNotAccepted } from '@store-gateway/ops/errors';
import { idempotencyKeyOf } from './message/idempotency-key.ts';
import { isRead } from './message/methods.ts';
import { expectUtf8Query } from './message/query.ts';

/** The result of admitting a request. */
interface Admitted<Caller> {
  readonly caller: Caller;
  /** Milliseconds that the admission took from the request's deadline; by default 0. */
  readonly waited?: number;
  /** Awaited between receiving and parsing the body, so that requests take turns; by default they don't. */
  readonly turn?: () => Promise<void>;
}

/** Authenticates and counts a request, or throws: `codedError('UNAUTHENTICATED', …)`, for example. */
export type Admit<Caller> = (exchange: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}) => Admitted<Caller> | Promise<Admitted<Caller>>;

/** The request that an operation is planned and executed for. */
interface ExecutionRequest<Caller> {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  /** Milliseconds of the request's deadline that have passed. */
  readonly waited: number;
  /** Called if a write with the same idempotency key has taken effect before. */
  readonly onReplay?: (() => void) | undefined;
}

/** The steps in which an API answers a request. Each of them may reject it with an error. */
export interface Exchange<Caller, Body, Operation, Result> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Checks by the request's head what the caller may do, and determines the format of the response. */
  readonly accept: (caller: Caller) => void;
  /** Whether the request may have an idempotency key. */
  readonly acceptsKey: boolean;
  /** Reads the body, if there is one. */
  readonly read: (turn: () => Promise<void>) => Body | Promise<Body>;
  /** Creates the operation that the request asks for. */
  readonly plan: (body: Body, request: ExecutionRequest<Caller>) => Operation | Promise<Operation>;
  /** Executes the operation. From here on, the request counts as executed, whatever its outcome is. */
  readonly execute: (
    operation: Operation,
    request: ExecutionRequest<Caller>,
  ) => Result | Promise<Result>;
  /** Writes the response. */
  readonly represent: (
    result: Result,
    request: ExecutionRequest<Caller> & { readonly isReplay: boolean },
  ) => void | Promise<void>;
  /** Called if a caller's write is rejected before it is executed. */
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
      // If the key were ignored, a retry would repeat a write that the client expects to take effect only once.
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
