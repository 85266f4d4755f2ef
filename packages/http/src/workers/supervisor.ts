import { log, StartupFailure } from '@store-gateway/ops';
import { startWorkerProcess } from './worker.ts';
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/** A worker that has lived this long has not died of its startup. */
const STABLE_MS = 10_000;

type WorkerProcess = ReturnType<typeof startWorkerProcess>;
type Death = ReturnType<typeof backOff>;

/**
 * Returns how long to wait before a dead worker is replaced, and how many workers have died early in a row by now.
 *
 * @param earlyDeaths in a row, before this one
 */
export function backOff(livedMs: number, earlyDeaths: number) {
  const isEarly = livedMs < STABLE_MS;
  const count = isEarly ? earlyDeaths + 1 : 0;
  // The first worker that dies early is replaced immediately.
  const delayMs = count < 2 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 2));
  return { delayMs, earlyDeaths: count };
}

/** Milliseconds between two pings of each worker. */
const PING_INTERVAL_MS = 1000;

/** When a worker counts as unresponsive. */
interface WatchOptions {
  /** Milliseconds without a response after which a worker is killed; by default 5000. */
  readonly silenceMs?: number;
  /** Called when a worker has been silent for that long. */
  readonly onHang?: () => void;
}

/**
 * Kills unresponsive workers: a worker that hangs keeps its connections, and nothing else would notice.
 *
 * @returns a function that stops watching
 */
function watch(
  workers: Iterable<WorkerProcess>,
  { silenceMs = 5000, onHang }: WatchOptions,
): () => void {
  let askedAt = performance.now();
  const watching = setInterval(() => {
    const now = performance.now();
    // The whole machine may have stalled, this process included.
    const wasSuspended = now - askedAt > 2 * PING_INTERVAL_MS;
    askedAt = now;
    for (const worker of workers) {
      if (wasSuspended) {
        worker.forgive();
      } else if (worker.silentMs() > silenceMs) {
        log.error({ worker: worker.pid }, 'a worker is unresponsive: killing it');
        onHang?.();
        worker.kill();
        // So that it is logged only once, until it has ended.
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

/** The program of the workers, their number, and what happens with their output and reports. */
interface SupervisorOptions extends WatchOptions {
  /** The program of a worker (see worker.ts). */
  readonly program: URL;
  /** The program's arguments; by default none. */
  readonly args?: readonly string[];
  readonly count: number;
  /** Sent to the workers over IPC as JSON, so that neither arguments nor the environment reveal it. By default null. */
  readonly settings?: unknown;
  /** Writes whole lines of the workers' stdout; by default to this process's stdout. */
  readonly writeLines?: (lines: string) => void;
  /** Called with the last report of a worker that has ended, which `lastReports` no longer returns. */
  readonly onEnded?: (lastReport: string | undefined) => void;
  /** Called when a worker has ended by itself. */
  readonly onDeath?: () => void;
}

/** The process that starts, watches, replaces and stops the workers. */
export interface Supervisor extends ReturnType<typeof createSupervisor> {}

/**
 * Keeps `count` workers serving on one port. They share its handle, and accept connections themselves, when they have time. If
 * this process accepted connections, one that is on its way to a worker would be lost if that dies, and a flood of connections
 * would wait here without a limit.
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
  // No worker outlives this process, however it ends. If a signal that can't be caught ends it, see worker.ts.
  const killAll = () => {
    processes.forEach(({ kill }) => {
      kill();
    });
  };
  process.on('exit', killAll);

  /** Starts a worker, and replaces it when it dies. @param earlyDeaths in a row, of the workers before it */
  async function startWorker(earlyDeaths = 0): Promise<string> {
    // Two workers that fail to listen at the same time would crash the cluster module (Node 26).
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

  /** Makes a worker leave when its successor serves. Resolves to false if the successor can't start. */
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
        // The worker may have died meanwhile.
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
      // If one can't start, no other can.
      if (!(await replace(worker))) return;
    }
    log.info('the workers have been replaced');
  }

  return {
    /** Starts all workers; resolves to their URL. @throws StartupFailure of the first that can't start */
    start: async () => {
      const url = await startWorker();
      await Promise.all(Array.from({ length: count - 1 }, () => startWorker()));
      isComplete = true;
      serving.forEach(({ complete }) => {
        complete();
      });
      return url;
    },
    /** The number of workers that serve. */
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
    /** Replaces the workers one after the other, each when its successor serves. Never rejects. */
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
      // Workers that shut down no longer answer pings (worker.ts).
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
