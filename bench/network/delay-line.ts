/** Delays actions, and keeps their order. */
export interface DelayLine {
  /** Milliseconds. What is under way keeps its own delay, and nothing overtakes it. */
  delay: number;
  /** Does something when the delay is over. */
  readonly push: (act: () => void) => void;
}

/** Milliseconds from an alarm's time until it rings: it is set for so much earlier. */
const WAKE_UP = 0.05;

/**
 * @param now the time in milliseconds
 * @param setAlarm calls `ring` at a time; has rung before it is called again
 */
export function createDelayLine(
  now: () => number,
  setAlarm: (at: number, ring: () => void) => void,
): DelayLine {
  const waiting: { readonly at: number; readonly act: () => void }[] = [];
  let isSet = false;

  function actOnDue(): void {
    const time = now() + WAKE_UP;
    for (let first = waiting[0]; first !== undefined && first.at <= time; first = waiting[0]) {
      waiting.shift();
      first.act();
    }
  }
  function set(): void {
    const [first] = waiting;
    if (isSet || first === undefined) return;
    isSet = true;
    setAlarm(first.at - WAKE_UP, () => {
      isSet = false;
      actOnDue();
      set();
    });
  }

  const line: DelayLine = {
    delay: 0,
    push: (act) => {
      actOnDue();
      if (line.delay === 0 && waiting.length === 0) {
        act();
        return;
      }
      waiting.push({ at: now() + line.delay, act });
      set();
    },
  };
  return line;
}
