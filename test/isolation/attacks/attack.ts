/** Where an attacker sends what it sends, and as whom. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** A valid key that nobody else uses. */
  readonly key: string;
  readonly connections: number;
}

export interface Attack {
  /** What is done: a test is named "another key is served while ...". */
  readonly name: string;
  /** How many it keeps open: a trial in which it doesn't get as far proves nothing. */
  readonly connections: number;
  /** It does no more than that. */
  readonly isIdle?: true;
  /** Goes on until its process is ended. */
  readonly run: (target: Target) => void;
  /** Of the service that is attacked. */
  readonly env?: NodeJS.ProcessEnv;
  /** The reader of the service's log hangs. */
  readonly isLogUnread?: true;
}

/** The same attack on a service of two processes. */
export function onTwoWorkers(attack: Attack): Attack {
  return {
    ...attack,
    name: `${attack.name}, with two workers`,
    env: { ...attack.env, WORKERS: '2' },
  };
}
