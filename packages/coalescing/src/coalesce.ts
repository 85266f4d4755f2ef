/** Runs `start` for whoever asks under a key, together with others who ask the same. */
export type Share<Result> = (key: string, start: () => Promise<Result>) => Promise<Result>;

interface Flight<Result> {
  /** When those who share the one that has left have got what they wanted, or an error. It never rejects. */
  readonly landed: Promise<void>;
  /** The one that leaves after it: nobody has asked the database anything for it yet. */
  next: Promise<Result> | undefined;
}

/** Milliseconds that a flight waits for the one before, at most: a slow one holds nobody up for long. */
const PATIENCE = 50;

/**
 * Lets identical reads share one, and none of them miss anything.
 *
 * Whoever asks while a read is under way does not join it: it may have looked before something was
 * written that has been acknowledged since. It waits, with all others who ask meanwhile, for the next
 * one, which leaves after the last of them has asked. So each answer tells all that was committed before
 * it was asked for, by whichever process. Of each key one read is under way and one waits, more only
 * where reads take longer than anybody should wait. A read that fails fails those who share it; the next
 * one is another. Keys know nothing of each other, and one is forgotten when nobody waits for it.
 *
 * @param onShare told of each who asks whether they lead, or join others
 */
export function createFlights<Result>(onShare?: (leads: boolean) => void): Share<Result> {
  const flights = new Map<string, Flight<Result>>();

  function leave(key: string, start: () => Promise<Result>): Promise<Result> {
    const result = start();
    const flight: Flight<Result> = { landed: landing(result), next: undefined };
    flights.set(key, flight);
    void forget(key, flight);
    return result;
  }

  async function forget(key: string, flight: Flight<Result>): Promise<void> {
    await flight.landed;
    if (flight.next === undefined && flights.get(key) === flight) {
      flights.delete(key);
    }
  }

  return function share(key, start) {
    const flight = flights.get(key);
    onShare?.(flight?.next === undefined);
    if (flight === undefined) {
      return leave(key, start);
    }
    flight.next ??= patiently(flight.landed).then(() => leave(key, start));
    return flight.next;
  };
}

async function landing(result: Promise<unknown>): Promise<void> {
  try {
    await result;
  } catch {
    // Those who share it are told.
  }
}

function patiently(landed: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(resolve, PATIENCE);
    void landed.finally(() => {
      clearTimeout(patience);
      resolve();
    });
  });
}
