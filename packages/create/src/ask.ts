import { createInterface } from 'node:readline/promises';

/** Asks a question; an empty answer is the proposal. */
export type Ask = (question: string, proposal: string) => Promise<string>;

/** Asks on the terminal. The question goes to stderr, as stdout is for what comes of the command. */
export const askFor: Ask = async (question, proposal) => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} (${proposal}): `);
    return answer.trim() === '' ? proposal : answer.trim();
  } finally {
    terminal.close();
  }
};
