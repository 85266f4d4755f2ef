import type { Gateway } from '../definition.ts';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { log, recorder } from '@store-gateway/ops';
import { createAggregator } from '@store-gateway/opentelemetry';
import { createSupervisor, type Supervisor } from '@store-gateway/http/workers';
import type { Config } from '../config/config.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { logProcessId, output } from '../log/service-log.ts';
import { WORKER } from './worker-command.ts';

/** Creates the workers that serve, and supervises them in this process. */
export function createWorkers({ metricsPrefix }: Gateway, config: Config) {
  logProcessId();
  const aggregator = createAggregator(metricsPrefix);
  let supervisor: Supervisor | undefined;

  return {
    replaceAll: () => void supervisor?.replaceAll(),
    /** Combines the metrics of all processes, given those of this one. */
    aggregate: async (own: () => Promise<string>): Promise<string> => {
      await supervisor?.updateReports();
      return aggregator.aggregate([await own(), ...(supervisor?.lastReports() ?? [])]);
    },
    /** Serves until a shutdown signal. */
    serve: async (
      address: DatabaseAddress,
      stopped: AbortSignal,
      onListening: (url: string) => Promise<void>,
    ): Promise<void> => {
      if (stopped.aborted) {
        log.info('stopped before startup had finished');
        return;
      }
      let deaths = 0;
      let hangs = 0;
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
      const { serving, start, stop } = supervisor;
      recorder.observe('workers', serving);
      recorder.observe('worker_deaths_total', () => deaths);
      recorder.observe('worker_hangs_total', () => hangs);
      stopped.addEventListener('abort', () => void stop());
      try {
        await onListening(await start());
        if (!stopped.aborted) {
          await once(stopped, 'abort');
        }
        log.info('stopping');
      } finally {
        await stop();
      }
    },
  };
}
