import { log, StartupFailure } from '@store-gateway/ops';
import { type WorkerProcess, startWorkerProcess } from './worker-process.ts';
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/** A worker that has lived for so long has not died of its start. */
const STABLE_MS = 10_000;

type Death = ReturnType<typeof backOff>;

/**
 * How long to wait before a worker that has died is replaced, and how many have died early in a row by now.
 *
 * @param earlyDeaths in a row, before this one
 */
export function backOff(livedMs: number, earlyDeaths: number) {
  const isEarly = livedMs < STABLE_MS;
  const count = isEarly ? earlyDeaths + 1 : 0;
  // The first one is replaced at once.
  const delayMs = count < 2 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 2));
  return { delayMs, earlyDeaths: count };
}

/** Milliseconds between two pings of each worker. */
const PING_INTERVAL_MS = 1000;

/** When a worker counts as unresponsive. */
interface WatchOptions {
  /** Milliseconds without a response after which a worker is ended; by default 5000. */
  readonly silenceMs?: number;
  /** Called when a worker has been silent for so long. */
  readonly onHang?: () => void;
}

/**
 * Ends unresponsive workers: one that hangs holds its connections, and nobody else would notice.
 *
 * @returns stops
 */
function watch(
  workers: Iterable<WorkerProcess>,
  { silenceMs = 5000, onHang }: WatchOptions,
): () => void {
  let askedAt = performance.now();
  const watching = setInterval(() => {
    const now = performance.now();
    // The whole machine may have stood still, this process included.
    const stoodStill = now - askedAt > 2 * PING_INTERVAL_MS;
    askedAt = now;
    for (const worker of workers) {
      if (stoodStill) {
        worker.forgive();
      } else if (worker.silentMs() > silenceMs) {
        log.error({ worker: worker.pid }, 'a worker is unresponsive: killing it');
        onHang?.();
        worker.kill();
        // Until it has ended, it is logged only once.
        worker.forgive();
      }
      worker.ask();
    }
  }, PING_INTERVAL_MS);
  watching.unref();
  return () => {
    clearInterval(watching);
  };
}

/** Which program runs in how many processes, and what is done with what they say. */
interface SupervisorOptions extends WatchOptions {
  /** The program of a worker (see worker.ts). */
  readonly program: URL;
  /** By default none. */
  readonly args?: readonly string[];
  readonly count: number;
  /** Sent to the workers over IPC as JSON, so that neither arguments nor the environment show it. By default null. */
  readonly settings?: unknown;
  /** Takes whole lines that a worker has written to its stdout; by default, they are written to this process's. */
  readonly writeLines?: (lines: string) => void;
  /** Called with the last report of a worker that leaves `lastReports`. */
  readonly onEnded?: (lastReport: string | undefined) => void;
  /** Called when a worker has ended by itself. */
  readonly onDeath?: () => void;
}

/** The process that starts, watches, replaces and stops the workers. */
export interface Supervisor extends ReturnType<typeof createSupervisor> {}

/**
 * Keeps so many workers serving on one port. They share its handle and accept by themselves, as they have time: a connection
 * that this process has accepted would be lost with the worker that it was on its way to, and a flood of connections would
 * wait here without a bound.
 */
export function createSupervisor(options: SupervisorOptions) {
  const { program, args = [], count, settings = null, onEnded, onDeath } = options;
  const { writeLines = (lines: string) => process.stdout.write(lines) } = options;
  let isComplete = false;
  /** All processes that have not ended. */
  const processes = new Set<WorkerProcess>();
  const serving = new Set<WorkerProcess>();
  /** Workers that are being replaced. */
  const leaving = new Set<WorkerProcess>();
  const stopping = new AbortController();
  const starting = new Set<Promise<unknown>>();
  let replacing: Promise<void> | undefined;

  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const stopWatching = watch(serving, options);
  cluster.setupPrimary({
    exec: fileURLToPath(program),
    args: [...args],
    // A worker that has disconnected waits for the end of its stdin.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  // Nothing outlives this process, however it ends; not even its end by a signal that can't be caught, see worker.ts.
  const killAll = () => {
    processes.forEach(({ kill }) => {
      kill();
    });
  };
  process.on('exit', killAll);

  /** Starts a worker, and replaces it when it dies. @param earlyDeaths in a row, of those in whose place it is */
  async function startWorker(earlyDeaths = 0): Promise<string> {
    // Two that fail to listen at a time would crash the cluster module (Node 26).
    while (serving.size === 0 && starting.size > 0) await Promise.race(starting);
    stopping.signal.throwIfAborted();
    const worker = startWorkerProcess(settings, writeLines);
    void follow(worker);
    const start = worker.ready.catch(() => undefined);
    starting.add(start);
    try {
      const url = await worker.ready;
      serving.add(worker);
      worker.forgive();
      if (isComplete) worker.complete();
      void replaceOnDeath(worker, earlyDeaths);
      void worker.wantsToLeave.then(() => replace(worker));
      return url;
    } finally {
      starting.delete(start);
    }
  }

  async function follow(worker: WorkerProcess): Promise<void> {
    processes.add(worker);
    await worker.ended;
    processes.delete(worker);
    onEnded?.(worker.lastReport());
  }

  async function replaceOnDeath(worker: WorkerProcess, earlyDeaths: number): Promise<void> {
    const since = performance.now();
    const why = (await worker.left) ?? 'is leaving';
    if (serving.delete(worker) && !stopping.signal.aborted) {
      onDeath?.();
      const death = backOff(performance.now() - since, earlyDeaths);
      log.error({ worker: worker.pid, delayMs: death.delayMs }, `a worker ${why}`);
      // Unless its successor is starting already.
      if (!leaving.has(worker)) await replaceDead(death);
    }
  }

  async function replaceDead(death: Death): Promise<void> {
    const { signal } = stopping;
    let { delayMs, earlyDeaths } = death;
    for (;;) {
      try {
        await pause(delayMs, undefined, { signal });
        await startWorker(earlyDeaths);
        log.info('the worker has been replaced');
        return;
      } catch (error) {
        if (signal.aborted) return;
        ({ delayMs, earlyDeaths } = backOff(0, earlyDeaths));
        log.error({ err: error, delayMs }, 'the worker cannot be replaced yet');
      }
    }
  }

  /** Has a worker leave once its successor serves; resolves to whether it does. */
  async function replace(worker: WorkerProcess): Promise<boolean> {
    if (!serving.has(worker) || leaving.has(worker)) return true;
    leaving.add(worker);
    try {
      await startWorker();
    } catch (error) {
      leaving.delete(worker);
      if (!stopping.signal.aborted) {
        log.error(
          { err: error, worker: worker.pid },
          'keeping a worker: its successor cannot start',
        );
        // It may have died meanwhile.
        if (!serving.has(worker)) void replaceDead(backOff(0, 1));
      }
      return false;
    }
    serving.delete(worker);
    await worker.end('leave');
    leaving.delete(worker);
    return true;
  }

  async function replaceEach(): Promise<void> {
    log.info('replacing the workers');
    const before = [...serving];
    for (const worker of before) {
      // Where one can't start, no other can.
      if (!(await replace(worker))) return;
    }
    log.info('the workers have been replaced');
  }

  return {
    /** Starts all workers; resolves to where they serve. @throws StartupFailure of the first that can't start */
    start: async () => {
      const url = await startWorker();
      await Promise.all(Array.from({ length: count - 1 }, () => startWorker()));
      isComplete = true;
      serving.forEach(({ complete }) => {
        complete();
      });
      return url;
    },
    /** How many workers serve. */
    serving: () => serving.size,
    /** Asks all workers for their reports, and waits for those that answer within a second. */
    updateReports: async () => {
      await Promise.all(Array.from(processes, ({ updateReport }) => updateReport()));
    },
    /** The last report of each process, including those that are ending. */
    lastReports: () =>
      Array.from(processes, ({ lastReport }) => lastReport()).filter(
        (report) => report !== undefined,
      ),
    /** Replaces the workers one after the other, each once its successor serves. Never rejects. */
    replaceAll: async () => {
      // A second call begins when the first one is done.
      const before = replacing;
      replacing = (async () => {
        await before;
        if (!stopping.signal.aborted) await replaceEach();
      })();
      await replacing;
    },
    /** Ends all workers gracefully. */
    stop: async () => {
      stopping.abort(new StartupFailure('Stopped before its workers were ready.'));
      // They give no signs any more (worker.ts).
      stopWatching();
      const all = [...processes];
      const ended = Promise.all(all.map(({ end }) => end('shutdown')));
      await Promise.all(all.map(({ disconnected }) => disconnected));
      all.forEach(({ portIsClosed }) => {
        portIsClosed();
      });
      await ended;
      process.off('exit', killAll);
    },
  };
}
