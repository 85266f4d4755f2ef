import { outsideRequest } from '@store-gateway/ops';
import type { BackendReaper } from './backend-reaper.ts';

/** Milliseconds for a statement to end after its cancel request. */
const CANCEL_TIMEOUT_MS = 500;

/**
 * In the place of a backend reaper behind a pooler: that has process ids of its own, which may be those of others'
 * backends, and itself bounds the backends and closes those whose client is gone.
 */
export const poolersReaper: BackendReaper = {
  reap: ({ onGone }) => {
    const timer = outsideRequest(() => setTimeout(onGone, CANCEL_TIMEOUT_MS).unref());
    return () => {
      clearTimeout(timer);
    };
  },
};
