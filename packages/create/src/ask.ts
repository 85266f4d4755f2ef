import { createInterface } from 'node:readline/promises';
import { CommandFailure } from '@store-gateway/ops/command-line';

/** Asks a question; an empty answer is the proposal. */
export type Ask = (question: string, proposal: string) => Promise<string>;

/**
 * Asks on a terminal.
 *
 * @returns throws CommandFailure (1) for Ctrl+C and Ctrl+D
 */
export function askOn(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Ask {
  return async (question, proposal) => {
    const terminal = createInterface({ input, output, terminal: true });
    try {
      const answer = await terminal.question(`${question} (${proposal}): `);
      return answer.trim() === '' ? proposal : answer.trim();
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') {
        output.write('\n');
        throw new CommandFailure(1, 'cancelled: nothing was created');
      }
      throw error;
    } finally {
      terminal.close();
    }
  };
}
