/** Where an attacker sends what it sends, and as whom. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** A valid key that nobody else uses. */
  readonly key: string;
}

export interface Attack {
  /** What is done: a test is named "another key is served while ...". */
  readonly name: string;
  /** Goes on until its process is ended. */
  readonly run: (target: Target) => void;
  /** Of the service that is attacked. */
  readonly env?: NodeJS.ProcessEnv;
}
