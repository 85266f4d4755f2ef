import type { IncomingMessage, ServerResponse } from 'node:http';
import { codedError, keyNotAccepted } from '@store-gateway/ops/errors';
import { isRead } from './message/send.ts';
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
  readonly onDenied?: ((caller: Caller, error: unknown) => void) | undefined;
}

const NO_TURN = (): Promise<void> => Promise.resolve();

/** Runs a request of either API through its steps, in the order of STEPS (steps.ts). */
export async function runExchange<Caller, Body, Operation, Result>(
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
      exchange.onDenied?.(caller, error);
    }
    throw error;
  }
}

/** A quoted string (RFC 9651, 3.3.3), as the header's draft requires. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** An unquoted key, as most clients send it. It has no spaces, unlike repeated headers, which Node joins. */
const BARE = /^[!#-~]+$/;

const MAX_LENGTH = 255;

/** The message for an invalid idempotency key. */
export const INVALID_IDEMPOTENCY_KEY = `Idempotency-Key must be one string of 1 to ${MAX_LENGTH} printable ASCII characters`;

/**
 * Returns a request's Idempotency-Key, which may be quoted or not
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 *
 * @throws BAD_USER_INPUT
 */
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  // Node joins repeated headers.
  const header = headers['idempotency-key']?.toString();
  if (header === undefined) {
    return undefined;
  }
  const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : '');
  if (key === '' || key.length > MAX_LENGTH) {
    throw codedError('BAD_USER_INPUT', INVALID_IDEMPOTENCY_KEY);
  }
  return key;
}

/** The value of Idempotent-Replayed if rows other than the written one are shown in their current state. */
export const EMBEDDED_NOW = 'true; embedded=current';

/**
 * Announces that a response replays an earlier write with the same idempotency key. The header's name is Stripe's; the draft
 * has none.
 */
export function announceReplay(response: ServerResponse, isAsFirst = true): void {
  response.setHeader('Idempotent-Replayed', isAsFirst ? 'true' : EMBEDDED_NOW);
}
