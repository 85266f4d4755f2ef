import { CommandFailure } from '@store-gateway/ops/command-line';

/** Runs a measurement until it ends or is interrupted, and reports an interruption in one line. */
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
