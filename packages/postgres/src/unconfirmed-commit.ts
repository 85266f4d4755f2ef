interface Notice {
  /** Of PostgreSQL's or Citus' sources. */
  readonly file?: string | undefined;
  readonly message?: string | undefined;
}

/** Why what the server calls a success may be lost, or can't be read yet, in words; undefined of notices of anything else. */
export function doubtOf({ file, message = '' }: Notice): string | undefined {
  if (file === 'remote_transaction.c') {
    return 'a worker has yet to commit what it has prepared';
  }
  // Somebody has cancelled the wait for a standby, of this server or of a worker of Citus, whose warnings it passes on.
  const isOfStandby =
    file === 'syncrep.c' ||
    (file === 'worker_log_messages.c' && message.includes('synchronous replication'));
  return isOfStandby ? 'the commit was not confirmed by a standby' : undefined;
}
