import { log, StartupFailure } from '@store-gateway/ops';
import { startWorkerProcess } from './worker.ts';
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/** Minimum lifetime of a worker for its death not to count as a failed start. */
const STABLE_MS = 10_000;

type WorkerProcess = ReturnType<typeof startWorkerProcess>;
type Death = ReturnType<typeof backOff>;

/**
 * Returns how long to wait before a dead worker is replaced, and the number of workers that have died early in a row, including
 * this one.
 *
 * @param earlyDeaths the number of early deaths in a row before this one
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

/** Defines when a worker counts as unresponsive. */
interface WatchOptions {
  /** Milliseconds without a response after which a worker is killed. Defaults to 5000. */
  readonly silenceMs?: number;
  /** Called when a worker hasn't responded for that long. */
  readonly onHang?: () => void;
}

/**
 * Kills unresponsive workers. A worker that hangs keeps its connections, and nothing else would detect that.
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
        // The worker counts as responsive until it has ended, so that the hang is logged only once.
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

/** The workers' program, their number, and how their output and reports are handled. */
interface SupervisorOptions extends WatchOptions {
  /** The workers' program (see worker.ts). */
  readonly program: URL;
  /** The program's arguments. By default, there are none. */
  readonly args?: readonly string[];
  readonly count: number;
  /**
   * Settings that are sent to the workers as JSON over IPC, so that neither arguments nor the environment reveal them. Defaults
   * to null.
   */
  readonly settings?: unknown;
  /** Writes whole lines of the workers' stdout. Defaults to this process's stdout. */
  readonly writeLines?: (lines: string) => void;
  /** Called with the last report of a worker that has ended. `lastReports` no longer includes it. */
  readonly onEnded?: (lastReport: string | undefined) => void;
  /** Called when a worker has exited unexpectedly. */
  readonly onDeath?: () => void;
}

/** The process that starts, watches, replaces and stops the workers. */
export interface Supervisor extends ReturnType<typeof createSupervisor> {}

/**
 * Keeps `count` workers serving on one port. They share the port's handle, and each accepts connections when it has time. If this
 * process accepted connections, one that is being passed to a worker would be lost when the worker dies, and a flood of
 * connections would wait here without a limit.
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
    // A worker that has disconnected from this process waits for the end of its stdin.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  // No worker may outlive this process. If this process is killed by a signal that can't be caught, the workers shut down by
  // themselves (worker.ts).
  const killAll = () => {
    processes.forEach(({ kill }) => {
      kill();
    });
  };
  process.on('exit', killAll);

  /** Starts a worker, and replaces it when it dies. @param earlyDeaths the number of early deaths in a row before it */
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
      // A worker that is leaving is already being replaced.
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
        log.error({ err: error, delayMs }, 'could not replace the worker yet: trying again');
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
          'keeping a worker: its successor could not start',
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
      // If one successor can't start, neither can the others.
      if (!(await replace(worker))) return;
    }
    log.info('the workers have been replaced');
  }

  return {
    /** Starts all workers; resolves to their URL. @throws the StartupFailure from the first worker that can't start */
    start: async () => {
      const url = await startWorker();
      await Promise.all(Array.from({ length: count - 1 }, () => startWorker()));
      isComplete = true;
      serving.forEach(({ complete }) => {
        complete();
      });
      return url;
    },
    /** The number of workers that are serving. */
    serving: () => serving.size,
    /** Asks all workers for their reports, and waits for those that answer within a second. */
    updateReports: async () => {
      await Promise.all(Array.from(processes, ({ updateReport }) => updateReport()));
    },
    /** Returns the last report of each process, including those that are ending. */
    lastReports: () =>
      Array.from(processes, ({ lastReport }) => lastReport()).filter(
        (report) => report !== undefined,
      ),
    /** Replaces the workers one by one, each when its successor serves. Never rejects. */
    replaceAll: async () => {
      // A second call starts when the first one is done.
      const before = replacing;
      replacing = (async () => {
        await before;
        if (!stopping.signal.aborted) await replaceEach();
      })();
      await replacing;
    },
    /** Ends all workers gracefully. */
    stop: async () => {
      stopping.abort(new StartupFailure('Stopped before the workers were ready.'));
      // Workers that are shutting down no longer answer pings (worker.ts).
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
