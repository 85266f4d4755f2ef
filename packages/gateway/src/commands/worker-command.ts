/** The command that a supervisor runs this program with. */
export const WORKER = 'worker';
