import { CommandFailure } from '@store-gateway/ops/command-line';

/** Measures until it is done or interrupted. Any interruption is reported in one line. */
export async function interruptible(
  signal: AbortSignal,
  measure: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  try {
    return await measure(signal);
  } catch (error) {
    if (signal.aborted) throw new CommandFailure(1, 'interrupted', { cause: error });
    throw error;
  }
}
