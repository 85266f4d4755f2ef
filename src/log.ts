import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type DestinationStream } from 'pino';

/** What is known of a request under way, for its log line and for all lines written on its behalf. */
export interface RequestUnderWay {
  readonly id: string;
  /** The id of the caller's key. */
  keyId?: string | undefined;
  /** The id of the request under which its error is logged, if it shares that one's fate. */
  errorLoggedUnder?: string | undefined;
  /** Set if it asks for something that is to be removed. */
  deprecated?: true | undefined;
}

export const requestUnderWay = new AsyncLocalStorage<RequestUnderWay>();

/** The process's log: JSON lines on stdout, or the same made readable when that is a terminal. */
export const log = pino(
  {
    base: null,
    mixin: () => {
      const request = requestUnderWay.getStore();
      return request === undefined ? {} : { requestId: request.id };
    },
  },
  await destination(),
);

async function destination(): Promise<DestinationStream> {
  if (!process.stdout.isTTY) {
    // Lines are written together, since a write takes longer than all else of a line: none waits for more
    // than 100 ms, nor after the end of the process.
    const lines = pino.destination({ dest: 1, sync: true, minLength: 4096, periodicFlush: 100 });
    process.once('exit', () => {
      lines.flushSync();
    });
    return lines;
  }
  const { PinoPretty } = await import('pino-pretty');
  return PinoPretty({ sync: true });
}
