import type { Pool } from 'pg';
import { runStatement } from '../statement.ts';
import { recorder, type RunStatement } from '@store-gateway/ops';
import { createReadIndex, asMiss, ReplicaMiss, type Miss } from './read-at.ts';
import { createReplica, type Replica, type ReplicaOptions } from './replica.ts';

/**
 * Reads on replicas that miss nothing: each answer shows all that was visible on the primary when the read began, and
 * nothing that isn't by the time it is given. Where no replica can promise that, the primary reads.
 *
 * @param replicaOptions the replicas, which are read in turn
 */
export function createReplicaReads(primary: Pool, replicaOptions: readonly ReplicaOptions[]) {
  const readIndex = createReadIndex(primary);
  const replicas = replicaOptions.map((options) => createReplica(options, readIndex));
  let last = 0;

  /** One after the other in turn. */
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
      // The primary has failed, not a replica: it would only fail once more.
      if (miss !== error && miss.miss === 'failed') throw error;
      count('primary', miss.miss);
      return runStatement(primary, ...call);
    }
  };

  return {
    /** Runs a statement that only reads, on a replica or on the primary. */
    read,
    /** Ends what goes on in the background. The pools are their owner's. */
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
