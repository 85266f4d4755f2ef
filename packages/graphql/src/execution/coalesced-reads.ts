import type { ExecutionResult } from 'graphql';
import {
  createCoalescer,
  watchOwnReads,
  log,
  keepResponse,
  loggedRequest,
  recorder,
  tracer,
} from '@store-gateway/ops';
import { shareable, type Shareable } from './shareable.ts';
import { sharedContext } from './shared-context.ts';
import { isAsPlanned, type OperationArgs } from './written-rows.ts';

interface CoalescedReads<Request> {
  /** Called with the request that leads. */
  readonly execute: (args: OperationArgs, request: Request) => Promise<ExecutionResult>;
  /** Members of all contexts that belong to no request. */
  readonly services: object;
  readonly contextOf: (request: Request) => object;
}

/**
 * Coalesces identical queries, same variables included, where their root fields are marked `shared`. Requests share one result
 * object, which must not be changed, if the execution has read nothing that belongs to one of them; otherwise it is the result
 * of the request that led it, the others execute the query for themselves, and it is never coalesced again.
 */
export function createCoalescedReads<Request>({
  execute,
  services,
  contextOf,
}: CoalescedReads<Request>): (args: OperationArgs, request: Request) => Promise<ExecutionResult> {
  const coalesce = tracer.coalescer(
    createCoalescer<ExecutionResult>((leads) => {
      recorder.add('shared_calls_total', 1, {
        place: 'operations',
        role: leads ? 'led' : 'joined',
      });
    }),
  );
  const report = createReport();

  /** Results that have been proved not to depend on a request. */
  const everyones = new WeakSet<ExecutionResult>();

  async function prove(
    args: OperationArgs,
    shared: Shareable,
    request: Request,
  ): Promise<ExecutionResult> {
    let isEveryones = true;
    const note = (name: string): void => {
      isEveryones = false;
      shared.isOwn = true;
      report(shared, name);
    };
    const contextValue = sharedContext(contextOf(request), services, note);
    const result = await watchOwnReads(note, () => execute({ ...args, contextValue }, request));
    if (isEveryones) {
      // Frozen: anything that one request added to it would reach all.
      everyones.add(Object.freeze(result));
    } else {
      keepResponse();
    }
    return result;
  }

  const executeAlone = (args: OperationArgs, request: Request): Promise<ExecutionResult> =>
    execute({ ...args, contextValue: contextOf(request) }, request);

  async function executeShared(
    args: OperationArgs,
    shared: Shareable,
    variables: string,
    request: Request,
  ): Promise<ExecutionResult> {
    let isLeader = false;
    const result = await coalesce(`${shared.id} ${variables}`, (isAlone) => {
      isLeader = true;
      // A result that nobody else gets needs no proof.
      return isAlone && loggedRequest()?.sharesResponse !== true
        ? executeAlone(args, request)
        : prove(args, shared, request);
    });
    if (isLeader || (everyones.has(result) && isAsPlanned(result, args))) {
      return result;
    }
    keepResponse();
    return executeAlone(args, request);
  }

  return (args, request) => {
    const shared = shareable(args);
    const variables = args.variableValues ?? {};
    if (shared?.isOwn === false && isExact(variables)) {
      return executeShared(args, shared, JSON.stringify(variables), request);
    }
    keepResponse();
    return executeAlone(args, request);
  };
}

/** Tells once of each field of Query that it isn't shared, so that no number of documents fills the log. */
function createReport(): (operation: Shareable, read: string) => void {
  const reported = new Set<string>();
  return ({ fields }, read) => {
    const unreported = fields.filter((field) => !reported.has(field));
    if (unreported.length > 0) {
      unreported.forEach((field) => reported.add(field));
      log.info(
        { fields: unreported, read },
        'not coalesced: the selection reads what belongs to a single request',
      );
    }
  };
}

/** Whether JSON distinguishes a value from all others: it writes null for a number that isn't finite, such as 1e400. */
function isExact(value: unknown): boolean {
  switch (typeof value) {
    case 'object':
      return value === null || Object.values(value).every(isExact);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === 'string' || typeof value === 'boolean';
  }
}
