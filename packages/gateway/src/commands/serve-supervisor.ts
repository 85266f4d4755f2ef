import type { Gateway } from '../definition.ts';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { log, recorder } from '@store-gateway/ops';
import { createAggregator } from '@store-gateway/opentelemetry';
import { createSupervisor, type Supervisor } from '@store-gateway/http/workers';
import { createLimits } from '../auth/limits.ts';
import { startRetention } from '../app/retention.ts';
import type { Config } from '../config/config.ts';
import { MINIMUM_POOL_SIZE } from '../database/pool-size.ts';
import { startDatabase } from '../database/start.ts';
import { output } from '../log/output.ts';
import { logProcessId } from '../log/service-log.ts';
import { greet } from './greet.ts';
import { WORKER } from './worker-command.ts';
import { startMetrics } from './serve-telemetry.ts';

/** Has worker processes serve until a shutdown signal, and itself does what only one process may do. */
export async function serveByWorkers(
  gateway: Gateway,
  config: Config,
  stopped: AbortSignal,
): Promise<void> {
  let supervisor: Supervisor | undefined;
  process.on('SIGHUP', () => {
    if (!stopped.aborted) void supervisor?.replaceAll();
  });
  logProcessId();
  const aggregator = createAggregator(gateway.metricsPrefix);
  await using telemetry = new AsyncDisposableStack();
  const scrape = async (own: () => Promise<string>) => {
    await supervisor?.updateReports();
    const all = [await own(), ...(supervisor?.lastReports() ?? [])];
    return aggregator.aggregate(all);
  };
  telemetry.use(await startMetrics(gateway, config, scrape));
  const { database, address, facts, stop } = await startDatabase(gateway, config, {
    stopped,
    poolSize: MINIMUM_POOL_SIZE,
  });
  let deaths = 0;
  let hangs = 0;
  try {
    if (stopped.aborted) {
      log.info('stopped before startup had finished');
      return;
    }
    supervisor = createSupervisor({
      program: pathToFileURL(process.argv[1] ?? ''),
      args: [WORKER],
      count: config.workers,
      settings: address,
      writeLines: output.write,
      onEnded: (lastReport) => {
        if (lastReport !== undefined) aggregator.retain(lastReport);
      },
      onDeath: () => (deaths += 1),
      silenceMs: config.workerTimeout,
      onHang: () => (hangs += 1),
    });
    const { serving, start, stop: stopWorkers } = supervisor;
    recorder.observe('workers', serving);
    recorder.observe('worker_deaths_total', () => deaths);
    recorder.observe('worker_hangs_total', () => hangs);
    stopped.addEventListener('abort', () => void stopWorkers());
    try {
      const url = await start();
      log.info({ ...facts, url, workers: config.workers }, 'listening');
      startRetention(database, createLimits(gateway, database, config), stopped);
      await greet(gateway, url, database, config, stopped);
      if (!stopped.aborted) {
        await once(stopped, 'abort');
      }
      log.info('stopping');
    } finally {
      await stopWorkers();
    }
  } finally {
    await stop();
  }
}
