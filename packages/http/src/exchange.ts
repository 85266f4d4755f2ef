import type { IncomingMessage, ServerResponse } from 'node:http';
import { codedError, keyNotAccepted } from '@store-gateway/ops/errors';
import { isRead } from './message/send.ts';
import { expectUtf8Query } from './message/query.ts';

/** The result of admitting a request. */
interface Admitted<Caller> {
  readonly caller: Caller;
  /** Milliseconds of the request's deadline that admission took. Defaults to 0. */
  readonly waited?: number;
  /** Awaited between receiving and parsing the body, so that requests take turns. By default, parsing doesn't wait. */
  readonly turn?: () => Promise<void>;
}

/** Authenticates and counts a request, or throws an error such as `codedError('UNAUTHENTICATED', …)`. */
export type Admit<Caller> = (exchange: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}) => Admitted<Caller> | Promise<Admitted<Caller>>;

/** The request's properties that planning and executing its operation depend on. */
interface ExecutionRequest<Caller> {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  /** Milliseconds of the request's deadline that have already passed. */
  readonly waited: number;
  /** Called if a write with the same idempotency key has already taken effect. */
  readonly onReplay?: (() => void) | undefined;
}

/** The steps in which an API answers a request. Any step may reject the request with an error. */
export interface Exchange<Caller, Body, Operation, Result> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Checks, based on the request's head, whether the caller may make the request, and chooses the response's format. */
  readonly accept: (caller: Caller) => void;
  /** Whether the request may contain an idempotency key. */
  readonly acceptsKey: boolean;
  /** Reads the body, if there is one. */
  readonly read: (turn: () => Promise<void>) => Body | Promise<Body>;
  /** Creates the operation that the request calls. */
  readonly plan: (body: Body, request: ExecutionRequest<Caller>) => Operation | Promise<Operation>;
  /** Executes the operation. From then on, the request counts as executed, whatever the outcome. */
  readonly execute: (
    operation: Operation,
    request: ExecutionRequest<Caller>,
  ) => Result | Promise<Result>;
  /** Writes the response. */
  readonly represent: (
    result: Result,
    request: ExecutionRequest<Caller> & { readonly isReplay: boolean },
  ) => void | Promise<void>;
  /** Called if a write is rejected before it is executed. */
  readonly onDenied?: ((caller: Caller, error: unknown) => void) | undefined;
}

const NO_TURN = (): Promise<void> => Promise.resolve();

/** Runs a request to either API through its steps, in the order of STEPS (steps.ts). */
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
      // An ignored key would let a retry repeat a write that the client expects to take effect only once.
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

/** Matches a quoted string (RFC 9651, 3.3.3), as the header's draft requires. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/**
 * Matches an unquoted key, as most clients send it. A key can't contain spaces, so repeated headers, which Node joins with a
 * comma and a space, don't match.
 */
const BARE = /^[!#-~]+$/;

const MAX_LENGTH = 255;

/** The message for an invalid idempotency key. */
export const INVALID_IDEMPOTENCY_KEY = `Idempotency-Key must be one string of 1 to ${MAX_LENGTH} printable ASCII characters`;

/**
 * Returns a request's idempotency key; the header may be quoted
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

/**
 * The value of Idempotent-Replayed if objects embedded in the replayed row show their current state, not that of the original
 * response.
 */
export const EMBEDDED_NOW = 'true; embedded=current';

/**
 * Marks a response as the replay of an earlier write with the same idempotency key. The header's name is Stripe's, because the
 * draft doesn't define one.
 */
export function announceReplay(response: ServerResponse, isAsFirst = true): void {
  response.setHeader('Idempotent-Replayed', isAsFirst ? 'true' : EMBEDDED_NOW);
}
