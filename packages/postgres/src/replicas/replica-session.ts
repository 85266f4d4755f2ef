import type { PoolClient } from 'pg';
import type { Statement, TextRow } from '@gateway/batched-prisma/statement';
import { identityOf } from './identity.ts';
import { runStatement, sendStatement } from '../statement.ts';

/** A connection for a few statements, which may be sent at once if it is pipelined. */
export interface ReplicaSession {
  readonly identity: () => Promise<string>;
  /** Measured and traced. */
  readonly run: (statement: Statement, values: readonly unknown[]) => Promise<readonly TextRow[]>;
  readonly query: (statement: Statement, values: readonly unknown[]) => Promise<readonly TextRow[]>;
  /** Gives the connection back once all are answered, and closes it if one has failed. */
  readonly release: () => void;
}

export function openReplicaSession(client: PoolClient): ReplicaSession {
  // A pool listens to its idle connections alone. The statements fail, too.
  client.on('error', ignore);
  const sent: Promise<unknown>[] = [];
  const track = <Result>(answer: Promise<Result>): Promise<Result> => {
    sent.push(answer);
    // The answer of a statement may never be looked at.
    answer.catch(ignore);
    return answer;
  };
  return {
    identity: () => track(identityOf(client)),
    run: (statement, values) => track(runStatement(client, statement, values)),
    query: (statement, values) => track(sendStatement(client, statement, values)),
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
