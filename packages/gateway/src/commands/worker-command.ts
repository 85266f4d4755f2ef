/** The command with which a supervisor runs this program. */
export const WORKER = 'worker';
