import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type DestinationStream } from 'pino';

/** The id of the request under way, so that every line written on its behalf carries it. */
export const requestIdStore = new AsyncLocalStorage<string>();

/** The process's log: JSON lines on stdout, or the same made readable when that is a terminal. */
export const log = pino(
  {
    base: null,
    mixin: () => {
      const requestId = requestIdStore.getStore();
      return requestId === undefined ? {} : { requestId };
    },
  },
  await destination(),
);

async function destination(): Promise<DestinationStream> {
  if (!process.stdout.isTTY) {
    return pino.destination({ dest: 1, sync: true });
  }
  const { PinoPretty } = await import('pino-pretty');
  return PinoPretty({ sync: true });
}
