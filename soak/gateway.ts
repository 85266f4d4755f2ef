import { setTimeout } from 'node:timers/promises';
import { type GatewayEvents, type GatewayProcess, startProcess } from './gateway-process.ts';

/** The service as a process that is restarted at the same address. Disposing of it stops the process, and waits for that. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  /** Sends a signal, waits until the process has ended, and then until a new one listens or `signal` is aborted. */
  readonly restart: (kind: 'SIGKILL' | 'SIGTERM', signal: AbortSignal) => Promise<void>;
}

/** Milliseconds to wait after a failed start. */
const RESTART_DELAY = 1000;

export async function startGateway(
  env: NodeJS.ProcessEnv,
  events: GatewayEvents,
  signal: AbortSignal,
): Promise<Gateway> {
  let running = await startProcess({ ...env, PORT: '0' }, events, signal);
  const { url } = running;
  const sameAddress = { ...env, PORT: new URL(url).port };
  return {
    url,
    restart: async (kind, giveUp) => {
      await running.end(kind);
      running = await startUntilItDoes(sameAddress, events, giveUp);
    },
    [Symbol.asyncDispose]: () => running.end('SIGTERM'),
  };
}

/** Starts the service as a supervisor does: again and again until it listens. */
async function startUntilItDoes(
  env: NodeJS.ProcessEnv,
  events: GatewayEvents,
  signal: AbortSignal,
): Promise<GatewayProcess> {
  for (;;) {
    try {
      return await startProcess(env, events, signal);
    } catch (error) {
      signal.throwIfAborted();
      events.failed(String(error));
      await setTimeout(RESTART_DELAY, undefined, { signal });
    }
  }
}
