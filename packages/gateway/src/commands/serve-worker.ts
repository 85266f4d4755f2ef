import type { Gateway } from '../definition.ts';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { StartupFailure, log } from '@store-gateway/ops';
import { shutdownSignal } from '@store-gateway/http';
import { joinSupervisor } from '@store-gateway/http/workers';
import { readConfig } from '../config/config.ts';
import { readAddress } from '../database/address.ts';
import { connectDatabase } from '../database/start.ts';
import { logFrom, logProcessId } from '../log/service-log.ts';
import { serveRequests } from './serve-requests.ts';
import { recordMetrics, startTraces } from './serve-telemetry.ts';

/** Serves as a worker, until its supervisor stops it. */
export async function serveAsWorker(gateway: Gateway): Promise<void> {
  logFrom();
  logProcessId();
  const supervisor = joinSupervisor();
  const { shutdown, sendReport, disconnect } = supervisor;
  const stopped = shutdownSignal({ signals: [], trigger: shutdown });
  stopped.addEventListener('abort', supervisor.leaving);
  // Registered first, because the worker accepts connections until the supervisor has closed the port.
  shutdown.addEventListener('abort', () => void sendReport().then(disconnect));

  try {
    await serve();
  } catch (error) {
    process.exitCode = 1;
    if (!(error instanceof StartupFailure)) {
      log.fatal({ err: error }, 'stopped by an unexpected error');
    } else if (!stopped.aborted) {
      supervisor.failed(error.message);
    }
  }
  disconnect();

  async function serve(): Promise<void> {
    // oxlint-disable-next-line node/no-process-env -- an entry point passes the environment on
    const config = readConfig(process.env, gateway.defaults);
    logFrom(config.logLevel);
    await using telemetry = new AsyncDisposableStack();
    telemetry.use(await startTraces(gateway, config));
    const recording = telemetry.use(await recordMetrics(gateway, config));
    if (recording !== undefined) supervisor.reportBy(recording.scrape);
    const { database, stop } = await connectDatabase(
      gateway,
      readAddress(await supervisor.settings),
      {
        stopped,
        poolSize: config.poolSize,
        replicaUrls: config.replicaUrls,
      },
    );
    try {
      await serveRequests(gateway, {
        database,
        config,
        stopped,
        leaving: supervisor.leave,
        complete: supervisor.complete,
        isLast: () => shutdown.aborted,
        portClosed: supervisor.portClosed,
        onListening: supervisor.ready,
      });
    } finally {
      await stop();
      await sendReport();
    }
  }
}
