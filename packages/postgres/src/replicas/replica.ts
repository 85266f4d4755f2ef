import {
  log,
  outsideRequest,
  type Statement,
  type TextRow,
  type RunStatement,
} from '@store-gateway/ops';
import {
  asMiss,
  openReplicaSession,
  ReplicaMiss,
  within,
  ANSWER_TIMEOUT_MS,
  readAt,
  RETRY_INTERVAL_MS,
  type ReplicaAnswer,
  shows,
  type ReadIndex,
} from './read-at.ts';
import type { Pool } from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { refusePooler } from '../pooler.ts';

/** From one probe to the next; doubled up to the maximum, so that a short lag is short, and a lost server costs little. */
const FIRST_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 1000;
/** A replica that is left out for a shorter time isn't logged. */
const NOTICE_MS = 1000;

/**
 * Whether a replica is used. It is left out at first, so that a start doesn't wait for it.
 *
 * @param name for the log
 * @param probe rejects if it can't be used
 */
function createAvailability(name: string, probe: () => Promise<void>) {
  let isUsed = true;
  /** Why it is left out now; a reason is logged once until it is used again. */
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
          log.warn({ replica: name, reason }, 'replica excluded: other servers answer its reads');
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
    /** Leaves it out until a probe succeeds. */
    leaveOut,
    /** Ends the probes. */
    end: (): void => {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}

/** A replica of the primary. */
export interface ReplicaOptions {
  /** For the log. */
  readonly name: string;
  /** Its connections, which have to be pipelined. */
  readonly pool: Pool;
}

type Read = [index: ReadIndex, ...Parameters<RunStatement>];

export type Replica = ReturnType<typeof createReplica>;

/** How often the primary is asked again until it shows what the replica has shown. */
const CONFIRM_ATTEMPTS = 5;

const NOTHING: Statement = { name: 'replicaProbe', text: 'SELECT' };

export function createReplica({ name, pool }: ReplicaOptions, readIndex: () => Promise<ReadIndex>) {
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
   * A replica shows a commit that it has replayed, the primary only one that its synchronous standbys have confirmed. What a
   * read shows before, a later one on the primary would miss.
   */
  async function untilShown({ identity, timeline }: ReadIndex, unseen: readonly string[]) {
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
      await untilShown(index, unseen);
    }
    return rows;
  }

  /** Whether its connections are known not to be a pooler's. */
  let isDirect = false;
  const availability = createAvailability(name, async () => {
    if (!isDirect) {
      await refusePooler(pool);
      isDirect = true;
    }
    await readShown(await readIndex(), NOTHING, []);
  });

  /** Makes one more connection ahead of the reads that need it. */
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
    /** Whether it is used, and has a connection that waits for a statement. */
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
