import type { Answer } from './ask.ts';
import {
  animalsIn,
  covers,
  isInOrder,
  type Animal,
  type Read,
  type Request,
} from './store-reads.ts';

/** Where and when something was asked: `started` counts what the clients have sent and received. */
export interface Asked extends Request {
  readonly gateway: number;
  readonly started: number;
}

/** What clients of several gateways have been told, in the order in which it came and they asked. */
export interface StoreHistory {
  readonly ask: (gateway: number, request: Request) => Asked;
  readonly created: (asked: Asked, answer: Answer) => void;
  readonly read: (asked: Asked, read: Read, answer: Answer) => void;
  /** What should not have been answered, in words; [] if the store was linearizable. */
  readonly faults: readonly string[];
  /** How often an answer had to show an animal. */
  readonly checks: () => number;
}

/** On a machine with too much to do the database may answer too late. That tells a client nothing. */
const BUSY = 503;

/** An animal that a client knew of, since when, and why. */
interface Known {
  readonly animal: Animal;
  readonly since: number;
  readonly reason: string;
}

export interface HistoryOptions {
  /** Whether what a read has shown must be shown from then on, too, even if it was never acknowledged. */
  readonly learnsFromReads?: boolean;
}

/** @param lastId the greatest id that was given out before */
export function createStoreHistory(
  lastId: number,
  { learnsFromReads = true }: HistoryOptions = {},
): StoreHistory {
  let clock = 0;
  const known = new Map<number, Known>();
  const faults: string[] = [];
  let checks = 0;

  const learn = (animals: readonly Animal[], how: string): void => {
    clock += 1;
    for (const animal of animals) {
      const before = known.get(animal.id);
      if (before === undefined) {
        known.set(animal.id, { animal, since: clock, reason: how });
      } else if (before.animal.name !== animal.name) {
        faults.push(`${how} says that ${animal.id} is ${animal.name}; ${before.reason}`);
      }
    }
  };

  return {
    faults,
    checks: () => checks,
    ask: (gateway, request) => {
      clock += 1;
      return { ...request, gateway, started: clock };
    },
    created: (asked, answer) => {
      if (answer.status === BUSY) {
        return;
      }
      const animals = [200, 201].includes(answer.status) ? animalsIn(answer) : [];
      learn(animals, `${words(asked)} was answered with ${list(animals)} at ${clock + 1}`);
      if (animals.length !== 1) {
        faults.push(`${words(asked)} failed: ${answer.status} ${answer.text}`);
      }
    },
    read: (asked, read, answer) => {
      if (answer.status === BUSY) {
        return;
      }
      if (answer.status !== 200 && !('id' in read && answer.status === 404)) {
        faults.push(`${words(asked)} failed: ${answer.status} ${answer.text}`);
        return;
      }
      const shown = animalsIn(answer);
      const what = `${words(asked)} was answered with ${list(shown)} at ${clock + 1}`;
      const ids = new Set(shown.map(({ id }) => id));
      for (const { animal, since, reason } of known.values()) {
        const { id } = animal;
        if (since > asked.started || !covers(read, { lastId, shown }, animal)) {
          continue;
        }
        checks += 1;
        if (!ids.has(id)) {
          faults.push(`${what}: it misses ${list([animal])}, of which ${reason}`);
        }
      }
      if (!isInOrder(read, lastId, shown)) {
        faults.push(`${what}: that is not what was asked for`);
      }
      if (learnsFromReads) learn(shown, what);
    },
  };
}

function words({ call, body, gateway, started }: Asked): string {
  const told = body === undefined ? '' : ` ${JSON.stringify(body)}`;
  return `${call}${told}, sent to gateway ${gateway} at ${started},`;
}

function list(animals: readonly Animal[]): string {
  return `[${animals.map(({ id, name }) => `${id} ${name}`).join(', ')}]`;
}
