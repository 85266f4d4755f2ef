import { log } from '@store-gateway/ops';

const REPORT_AFTER_MS = 5000;

/** Hears what a start waits for, if that takes long. */
export type OnSlowWait = (waitingFor: string) => void;

/** Waits for a part of the start, and reports what for if that takes long: by default to the log. */
export async function reportSlowWait<T>(
  waitingFor: string,
  awaited: Promise<T>,
  onSlowWait: OnSlowWait = () => {
    log.warn({ waitingFor }, 'still starting');
  },
): Promise<T> {
  const timer = setTimeout(onSlowWait, REPORT_AFTER_MS, waitingFor);
  try {
    return await awaited;
  } finally {
    clearTimeout(timer);
  }
}
