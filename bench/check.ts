import { isDeepStrictEqual } from 'node:util';
import { CommandFailure } from '@store-gateway/ops/command-line';
import { type Animal, animalsIn } from './animals.ts';
import type { Surface } from './load/requests.ts';
import { addsRows, needsSpare, reportedWorkloads, type Workload } from './load/calls.ts';
import type { Subject } from './processes/session.ts';

/** The animals in each response, by request. */
type Answers = readonly (readonly Animal[])[];

/** Number of requests to check for each workload. */
const LOOKED_AT: Readonly<Record<Workload, number>> = {
  hot: 1,
  mixed: 20,
  get: 5,
  create: 1,
  'keyed-create': 1,
  ids: 5,
  change: 5,
  remove: 5,
  'by-id': 5,
  mix: 0,
};

/**
 * Sends a server the requests that it will be measured with, and compares the animals that it returns, adds and removes with the
 * gateway's results.
 *
 * @throws CommandFailure if they differ
 */
export async function checkAnswers(
  surface: Surface,
  subject: Subject,
  reference: Subject,
  workloads: readonly Workload[] = reportedWorkloads,
): Promise<void> {
  const shown = (animals: Answers) =>
    subject.constant ? animals.map(({ length }) => length) : animals;
  // A server with a constant body uses no database. It only has to return as many animals as the hot list.
  for (const workload of subject.constant ? (['hot'] as const) : workloads) {
    const done = async (by: Subject) => {
      if (needsSpare(workload)) await by.store.addSpare();
      const animals = shown(await answers(surface, workload, by));
      return { animals, behind: await by.store.removeCreated() };
    };
    const expected = await done(reference);
    const answered = await done(subject);
    if (!isDeepStrictEqual(answered, expected)) {
      throw new CommandFailure(
        1,
        `${subject.server.name} responds to ${surface}/${workload} differently from the gateway: ${excerpt(answered)} instead of ${excerpt(expected)}`,
      );
    }
  }
}

async function answers(
  surface: Surface,
  workload: Workload,
  { server, key, requests }: Subject,
): Promise<Answers> {
  const answered: Animal[][] = [];
  for (const { method, path, body } of requests(surface, workload).slice(0, LOOKED_AT[workload])) {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === '' ? {} : { body }),
    });
    const text = await response.text();
    const found = response.ok && response.status !== 204 ? animalsIn(JSON.parse(text)) : [];
    if (!response.ok || (found.length === 0 && workload !== 'remove')) {
      throw new CommandFailure(
        1,
        `${server.name} returned no animal for ${method} ${path} ${body}: ${text}`,
      );
    }
    // Each created animal has its own id, and some schemas write enums in upper case.
    answered.push(
      found.map(({ id, name, categoryId, status }) => ({
        id: addsRows(workload) ? '' : id,
        name,
        categoryId,
        status: status.toLowerCase(),
      })),
    );
  }
  return answered;
}

function excerpt(answered: unknown): string {
  return JSON.stringify(answered).slice(0, 400);
}
