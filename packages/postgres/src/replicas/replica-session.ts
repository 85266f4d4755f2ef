import type { Statement, TextRow } from '@store-gateway/ops';
import type { PoolClient } from 'pg';
import { runStatement, sendStatement } from '../statement.ts';

export type ReplicaSession = ReturnType<typeof openReplicaSession>;

/** A connection for a few statements, which may be sent at once if it is pipelined. */
export function openReplicaSession(client: PoolClient) {
  // A pool listens to its idle connections alone. The statements fail, too.
  client.on('error', ignore);
  const sent: Promise<unknown>[] = [];
  const tracked =
    (run: typeof sendStatement) =>
    (statement: Statement, values: readonly unknown[]): Promise<readonly TextRow[]> => {
      const answer = run(client, statement, values);
      sent.push(answer);
      // The answer of a statement may never be looked at.
      answer.catch(ignore);
      return answer;
    };
  return {
    /** Measured and traced. */
    run: tracked(runStatement),
    query: tracked(sendStatement),
    /** Gives the connection back once all are answered, and closes it if one has failed. */
    release: () => {
      void giveBack(client, sent);
    },
  };
}

async function giveBack(client: PoolClient, sent: readonly Promise<unknown>[]): Promise<void> {
  const answers = await Promise.allSettled(sent);
  client.off('error', ignore);
  client.release(answers.some(({ status }) => status === 'rejected'));
}

function ignore(): void {}
