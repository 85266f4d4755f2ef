import { expect } from 'vitest';
import { overdue, refusedSince } from '../../support/load-answers.ts';
import { SUCCESS_STATUSES, type Answer } from '../../support/ask.ts';
import { startLoad, type Load } from '../../support/load.ts';
import { measureStalls } from '../../support/machine-stalls.ts';

/** A service under load whose database becomes unavailable. */
interface Outage {
  readonly url: string;
  readonly key: string;
  readonly databaseUrl: string;
  readonly callers?: number;
  /** Makes the database unavailable. @returns a function that makes it available again */
  readonly begin: () => Promise<() => unknown>;
  /** Runs during the outage. Resolves to the responses to its own requests, beside those of the load. */
  readonly meanwhile: (load: Load) => Promise<readonly Answer[]>;
  /** Whether one of those requests creates the animal with this name. */
  readonly isOthers?: (name: string) => boolean;
}

/**
 * Expects that each request is answered within 2 s, none is rejected more than 2 s after the outage, and no animal is lost,
 * duplicated or invented.
 */
export async function surviveOutage({
  url,
  key,
  databaseUrl,
  callers,
  begin,
  meanwhile,
  isOthers,
}: Outage) {
  await using stalls = await measureStalls();
  await using load = startLoad(url, key, callers);
  await load.allAnswered(SUCCESS_STATUSES);
  await using outage = new AsyncDisposableStack();
  const end = await begin();
  outage.defer(async () => void (await end()));
  const began = performance.now();
  const others = await meanwhile(load);
  const during = load.answers.filter(({ asked }) => asked > began);
  await outage.disposeAsync();
  const back = performance.now();
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();
  expect(await overdue([...load.answers, ...others], stalls)).toEqual([]);
  expect(await refusedSince(back, load.answers, stalls)).toEqual([]);
  expect(await load.faultsIn(databaseUrl, isOthers)).toEqual([]);
  return { answers: load.answers, during, others };
}
