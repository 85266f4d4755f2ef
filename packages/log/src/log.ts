import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';
import { hideKeys } from './redact-keys.ts';

/** `unknown` is also a key that was revoked; `rate_limited` one that nobody looked at. */
export type AuthenticationOutcome =
  'ok' | 'no_key' | 'malformed' | 'unknown' | 'expired' | 'rate_limited';

/** What is known of a request under way, for its log line and for all lines written on its behalf. */
export interface RequestUnderWay {
  readonly id: string;
  /** The trace that it is part of, if it is known to be part of any. */
  traceId?: string | undefined;
  /** What it asks for, by a name of ours: an operation of REST, or what GraphQL executes. */
  operation?: string | undefined;
  /** What came of its key. */
  authentication?: AuthenticationOutcome | undefined;
  /** The id of the caller's key. */
  keyId?: string | undefined;
  /** The id of the request under which its error is logged, if it shares that one's fate. */
  errorLoggedUnder?: string | undefined;
  /** Milliseconds that it has waited for its client's turns and share, if it has. */
  waitedMs?: number | undefined;
  /** Set if it asks for something that is to be removed. */
  deprecated?: true | undefined;
}

export const requestUnderWay = new AsyncLocalStorage<RequestUnderWay>();

/**
 * Does something that a request has set off, but that is no part of it: what is logged and traced then is
 * not told of that request, which is one of many or long over.
 */
export const onNobodysBehalf = AsyncLocalStorage.snapshot();

/** Tells what the request under way asks for, by one of a few names of ours. */
export function nameOperation(name: string): void {
  const underWay = requestUnderWay.getStore();
  if (underWay !== undefined) {
    underWay.operation = name;
  }
}

/** Adds to the time that the request under way has waited for others, or others of its own client. */
export function noteWait(milliseconds: number): void {
  const underWay = requestUnderWay.getStore();
  if (underWay !== undefined && milliseconds > 0) {
    underWay.waitedMs = (underWay.waitedMs ?? 0) + milliseconds;
  }
}

/** The process's log: JSON lines on stdout, or the same made readable when that is a terminal. */
export const log = pino(
  {
    base: null,
    // Of whole lines, so that no member is forgotten: a path or an error may have one in it.
    hooks: { streamWrite: hideKeys },
    mixin: () => {
      const request = requestUnderWay.getStore();
      if (request === undefined) {
        return {};
      }
      const { id: requestId, traceId } = request;
      return traceId === undefined ? { requestId } : { requestId, traceId };
    },
  },
  await destination(),
);

interface LogDestination {
  readonly write: (line: string) => void;
  /** Called behind each line of the level fatal. */
  readonly flushSync?: () => void;
}

async function destination(): Promise<LogDestination> {
  if (process.stdout.isTTY) {
    const { terminalLog } = await import('./terminal-log.ts');
    return terminalLog();
  }
  // Lines are written together, since a write takes longer than all else of a line: none waits for more
  // than 100 ms, nor after the end of the process.
  const lines = pino.destination({ dest: 1, sync: true, minLength: 4096, periodicFlush: 100 });
  const flushSync = () => {
    try {
      // First, because it gives up where nobody reads any more; flushSync would try again for ever.
      lines.flush();
      lines.flushSync();
    } catch {
      // Nothing can be told where the log can't be written.
    }
  };
  process.once('exit', flushSync);
  return { write: (line) => lines.write(line), flushSync };
}
