import type { Client } from 'pg';
import type { DatabaseUrl } from './database-url.ts';

/** Of the servers that a pool connects to: a replica may lag behind its primary. */
export type ServerRole = 'primary' | 'replica';

/** What PostgreSQL 14 and newer report when a session begins, and when it changes: to know it costs no statement. */
const REASONS = {
  in_hot_standby: 'the server is a standby',
  default_transaction_read_only: 'the server is read-only',
} as const satisfies Readonly<Record<Refused, string>>;

/** What a server reports that makes it unsuitable: that it is a standby, or read-only. */
export type Refused = 'in_hot_standby' | 'default_transaction_read_only';

/** The server is not of the kind that is wanted: what a standby has may be older than what was acknowledged. */
export class UnsuitableServerError extends Error {
  override readonly name = 'UnsuitableServerError';
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(REASONS[refused]);
    this.refused = refused;
  }
}

/** Whether the error of a statement says that it found a standby. */
export function isOfStandby(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.cause instanceof UnsuitableServerError &&
    error.cause.refused === 'in_hot_standby'
  );
}

/** Which servers a pool refuses. https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS */
export function refusedServers(role: ServerRole, url: DatabaseUrl): readonly Refused[] {
  if (role === 'replica') return [];
  return url.get('target_session_attrs') === 'read-write'
    ? ['in_hot_standby', 'default_transaction_read_only']
    : ['in_hot_standby'];
}

/** Calls back whenever a client's server reports to be one that is refused. */
export function watchServer(
  { connection }: Client,
  refused: readonly Refused[],
  onRefused: (error: UnsuitableServerError) => void,
): void {
  connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    const parameter = refused.find((name) => name === parameterName);
    if (parameter !== undefined && parameterValue === 'on') {
      onRefused(new UnsuitableServerError(parameter));
    }
  });
}

/** https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-ASYNC */
interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}
