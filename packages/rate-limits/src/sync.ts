import type { SharedLevel } from './rate-limit-counts.ts';
import { log, onNobodysBehalf } from '@gateway/log/log';
import { leakRate, type RateLimitPolicy } from './policy.ts';
import { learn, type Usage } from './usage.ts';

/** Where the processes add up what they have counted. */
export interface SharedCounts {
  /** Adds requests, and tells what all processes together have counted of each subject. */
  readonly add: (
    counted: readonly { readonly subject: string; readonly requests: number }[],
  ) => Promise<ReadonlyMap<string, SharedLevel>>;
}

/** Tells the other processes what has been counted here, and learns what they have. */
export interface Exchange {
  /** Counts a request. */
  readonly count: (usage: Usage) => void;
  /** Takes back what is yet to be told of somebody. */
  readonly forget: (usage: Usage) => void;
  /** Tells all that is yet to be told. To be called before the process ends. */
  readonly flush: () => Promise<void>;
}

/** Milliseconds after a request by which the others hear of it. */
const SLOWLY = 500;
/** The same where a good part of what was left is used up; also what the database is given to rest. */
const SOON = 20;

/**
 * Nobody ever waits for it, or is refused because of it. While the database is away each process goes by what
 * it knows and counts itself.
 */
export function createExchange(
  policy: RateLimitPolicy,
  { counts, now }: { readonly counts: SharedCounts; readonly now: () => number },
): Exchange {
  const waiting = new Set<Usage>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let hurries = false;
  let isAway = false;
  let lastTried = now();

  function schedule(milliseconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void start(), milliseconds).unref();
  }

  async function start(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running = onNobodysBehalf(exchange);
    await running;
    running = undefined;
    if (waiting.size > 0) {
      schedule(hurries && !isAway ? SOON : SLOWLY);
    }
  }

  async function exchange(): Promise<void> {
    const at = now();
    const leaked = Math.max(0, at - lastTried) * leakRate(policy);
    lastTried = at;
    hurries = false;
    const told = Array.from(waiting, (usage) => ({
      usage,
      subject: usage.subject,
      requests: usage.untold,
    }));
    waiting.clear();
    for (const { usage } of told) {
      usage.untold = 0;
    }
    try {
      const levels = await counts.add(told);
      for (const { usage, subject, requests } of told) {
        const level = levels.get(subject);
        if (level !== undefined) {
          learn(usage, policy, { told: level, requests });
        }
      }
      if (isAway) {
        log.info('rate limits are counted together with the other processes again');
      }
      isAway = false;
    } catch (error) {
      if (!isAway) {
        log.warn({ err: error }, 'rate limits are counted by this process alone');
      }
      isAway = true;
      for (const { usage, requests } of told) {
        // Of what can't be told, a part leaks away as it would have there.
        usage.untold += Math.max(0, requests - leaked);
        if (usage.untold > 0 && !usage.isForgotten) {
          waiting.add(usage);
        }
      }
    }
  }

  return {
    count: (usage) => {
      if (usage.untold === 0) {
        waiting.add(usage);
      }
      usage.level += 1;
      usage.untold += 1;
      const soon = usage.untold >= usage.share && !hurries && !isAway;
      hurries ||= soon;
      if (running === undefined && (soon || timer === undefined)) {
        schedule(soon ? SOON : SLOWLY);
      }
    },
    forget: (usage) => {
      usage.isForgotten = true;
      waiting.delete(usage);
    },
    flush: async () => {
      await running;
      if (waiting.size > 0) {
        await start();
      }
      clearTimeout(timer);
    },
  };
}
