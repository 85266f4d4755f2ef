import type { Client } from 'pg';

/** Of the servers that a pool connects to: a replica may lag behind its primary. */
export type ServerRole = 'primary' | 'replica';

/** The server is a standby: what it has may be older than what was acknowledged. */
export class StandbyError extends Error {
  override readonly name = 'StandbyError';

  constructor() {
    super('the server is a standby');
  }
}

/** Whether the error of a statement says that it found a standby. */
export function isOfStandby(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof StandbyError;
}

/**
 * Listens to what PostgreSQL 14 and newer report when a session begins, and when it changes: that costs no statement
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-ASYNC).
 *
 * @param onStandby called when the server is a standby
 */
export function watchStandby({ connection }: Client, onStandby: () => void): void {
  connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    if (parameterName === 'in_hot_standby' && parameterValue === 'on') {
      onStandby();
    }
  });
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}
