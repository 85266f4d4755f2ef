import {
  log,
  outsideRequest,
  recorder,
  type RunStatement,
  type Statement,
  type TextRow,
} from '@store-gateway/ops';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { rejectPooler } from '../pooler.ts';
import { runStatement } from '../statement.ts';
import {
  ANSWER_TIMEOUT_MS,
  asMiss,
  createReadIndex,
  type Miss,
  openReplicaSession,
  readAt,
  type ReadIndex,
  type ReplicaAnswer,
  ReplicaMiss,
  RETRY_INTERVAL_MS,
  shows,
  within,
} from './read-at.ts';

/**
 * Reads on replicas without stale results: each result shows everything that was visible on the primary when the read began, and
 * nothing that isn't visible there when the result is returned. If no replica can guarantee that, the primary serves the read.
 *
 * @param replicaOptions the replicas, which serve reads in turn
 */
export function createReplicaReads(primary: Pool, replicaOptions: readonly ReplicaOptions[]) {
  const readIndex = createReadIndex(primary);
  const replicas = replicaOptions.map((options) => createReplica(options, readIndex));
  let last = 0;

  /** Returns the next ready replica, in turn. */
  function nextReady(): Replica {
    for (let tried = 0; tried < replicas.length; tried += 1) {
      last = (last + 1) % replicas.length;
      const replica = replicas[last];
      if (replica?.isReady() === true) return replica;
    }
    throw new ReplicaMiss('unavailable', 'no replica is ready');
  }

  const readOnReplica: RunStatement = async (...call) => {
    if (!replicas.some((replica) => replica.isReady())) {
      throw new ReplicaMiss('unavailable', 'no replica is ready');
    }
    const index = await readIndex();
    return nextReady().read(index, ...call);
  };

  const read: RunStatement = async (...call) => {
    try {
      const rows = await readOnReplica(...call);
      count('replica', 'none');
      return rows;
    } catch (error) {
      const miss = asMiss(error);
      // The primary failed, not a replica, so retrying on the primary would only fail again.
      if (miss !== error && miss.miss === 'failed') throw error;
      count('primary', miss.miss);
      return runStatement(primary, ...call);
    }
  };

  return {
    /** Runs a statement that only reads, on a replica or on the primary. */
    read,
    /** Stops the background probes. The owner of the pools closes them. */
    end: (): void => {
      for (const replica of replicas) {
        replica.end();
      }
    },
  };
}

function count(answeredBy: 'primary' | 'replica', miss: Miss | 'none'): void {
  recorder.add('replica_reads_total', 1, { answered_by: answeredBy, miss });
}

/**
 * Milliseconds between probes. The interval doubles up to the maximum, so that a replica is soon used again after a short lag,
 * and a lost server costs little.
 */
const FIRST_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 1000;
/** Shorter exclusions aren't logged. */
const NOTICE_MS = 1000;

/**
 * Tracks whether a replica is used. It is excluded at first, so that startup doesn't wait for it.
 *
 * @param name the replica's name in the log
 * @param probe rejects if the replica can't be used
 */
function createAvailability(name: string, probe: () => Promise<void>) {
  let isUsed = true;
  /** The logged reasons for excluding it. Each is logged once until the replica is used again. */
  const logged = new Set<string>();
  let isEnded = false;
  let leftOutAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const probeAfter = (interval: number): void => {
    timer = setTimeout(() => {
      probe().then(bringBack, (error: unknown) => {
        if (isEnded) return;
        const reason = asMiss(error).message;
        if (!logged.has(reason) && performance.now() - leftOutAt > NOTICE_MS) {
          logged.add(reason);
          log.warn({ replica: name, reason }, 'replica excluded: other servers serve its reads');
        }
        probeAfter(Math.min(interval * 2, MAX_INTERVAL_MS));
      });
    }, interval).unref();
  };
  const bringBack = (): void => {
    isUsed = true;
    if (logged.size > 0) {
      logged.clear();
      log.info({ replica: name }, 'replica in use again');
    }
  };
  const leaveOut = (): void => {
    if (isUsed && !isEnded) {
      isUsed = false;
      leftOutAt = performance.now();
      outsideRequest(() => {
        probeAfter(FIRST_INTERVAL_MS);
      });
    }
  };
  leaveOut();
  return {
    isUsed: () => isUsed,
    /** Excludes the replica until a probe succeeds. */
    leaveOut,
    /** Ends the probes. */
    end: (): void => {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}

/** A replica of the primary. */
interface ReplicaOptions {
  /** The replica's name in the log. */
  readonly name: string;
  /** Its connections, which must be pipelined. */
  readonly pool: Pool;
}

type Read = [index: ReadIndex, ...Parameters<RunStatement>];

type Replica = ReturnType<typeof createReplica>;

/** How many times to check whether the primary shows what the replica has shown. */
const CONFIRM_ATTEMPTS = 5;

const NOTHING: Statement = { name: 'replicaProbe', text: 'SELECT' };

function createReplica({ name, pool }: ReplicaOptions, readIndex: () => Promise<ReadIndex>) {
  let isConnecting = false;

  async function readOnce(...read: Read): Promise<ReplicaAnswer> {
    const connecting = pool.connect();
    const client = await within(ANSWER_TIMEOUT_MS, connecting).catch((error: unknown) => {
      void connecting.then(
        (late) => late.release(),
        () => undefined,
      );
      throw error;
    });
    const session = openReplicaSession(client);
    try {
      return await readAt(session, ...read);
    } finally {
      session.release();
    }
  }

  /**
   * Waits until the primary shows transactions that the replica has shown. A replica shows a commit when it has replayed it; the
   * primary shows it only after its synchronous standbys have confirmed it. Without the wait, a later read on the primary could
   * miss rows that this read has shown.
   */
  async function waitUntilVisible({ identity, timeline }: ReadIndex, unseen: readonly string[]) {
    for (let attempts = 0; attempts < CONFIRM_ATTEMPTS; attempts += 1) {
      const later = await readIndex();
      if (later.identity !== identity || later.timeline !== timeline) break;
      if (shows(later, unseen)) return;
      await pause(RETRY_INTERVAL_MS);
    }
    throw new ReplicaMiss('ahead', 'it shows commits that the primary does not show yet');
  }

  async function readShown(...read: Read): Promise<readonly TextRow[]> {
    const { rows, unseen } = await readOnce(...read);
    if (unseen.length > 0) {
      const [index] = read;
      await waitUntilVisible(index, unseen);
    }
    return rows;
  }

  /** Whether its connections are known not to lead to a pooler. */
  let isDirect = false;
  const availability = createAvailability(name, async () => {
    if (!isDirect) {
      await rejectPooler(pool);
      isDirect = true;
    }
    await readShown(await readIndex(), NOTHING, []);
  });

  /** Opens another connection before reads need it. */
  async function connect(): Promise<void> {
    if (isConnecting || pool.totalCount >= pool.options.max) return;
    isConnecting = true;
    try {
      (await pool.connect()).release();
    } catch {
      availability.leaveOut();
    }
    isConnecting = false;
  }

  return {
    /** Whether the replica is used, and has an idle connection. */
    isReady: (): boolean => {
      if (!availability.isUsed()) return false;
      const isIdle = pool.idleCount > pool.waitingCount;
      if (!isIdle) void connect();
      return isIdle;
    },
    /** @throws ReplicaMiss */
    read: async (...read: Read): Promise<readonly TextRow[]> => {
      try {
        return await readShown(...read);
      } catch (error) {
        const miss = asMiss(error);
        if (miss.miss !== 'refused') {
          availability.leaveOut();
        }
        throw miss;
      }
    },
    /** Ends the probes. */
    end: availability.end,
  };
}
