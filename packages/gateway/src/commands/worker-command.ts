/** The command with which a supervisor starts a worker. */
export const WORKER = 'worker';
