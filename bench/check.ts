import { isDeepStrictEqual } from 'node:util';
import { CommandFailure } from '@gateway/command-line/command-failure';
import { type Animal, animalsIn } from './animals.ts';
import type { Surface } from './load/requests.ts';
import type { Work } from './load/calls.ts';
import type { Subject } from './processes/session.ts';

/** For each request the animals that it was answered with. */
type Answers = readonly (readonly Animal[])[];

/** How many requests of each work are looked at. */
const LOOKED_AT: Readonly<Record<Work, number>> = { hot: 1, mixed: 20, get: 5, create: 1, mix: 0 };

/**
 * Asks a server for what it will be measured with, and compares the animals with what the gateway answers.
 *
 * @throws CommandFailure when it answers something else
 */
export async function checkAnswers(
  surface: Surface,
  subject: Subject,
  reference: Subject,
): Promise<void> {
  // One that always answers the same asks no database: as many animals as in the hot list will do.
  const works = subject.constant
    ? (['hot'] as const)
    : (['hot', 'mixed', 'get', 'create'] as const);
  const shown = (animals: Answers) =>
    subject.constant ? animals.map(({ length }) => length) : animals;
  for (const work of works) {
    const expected = shown(await answers(surface, work, reference));
    const answered = shown(await answers(surface, work, subject));
    await reference.store.removeCreated();
    if (!isDeepStrictEqual(answered, expected)) {
      throw new CommandFailure(
        1,
        `${subject.server.name} answers ${surface}/${work} otherwise than the gateway: ${excerpt(answered)} instead of ${excerpt(expected)}`,
      );
    }
  }
}

async function answers(
  surface: Surface,
  work: Work,
  { server, key, requests }: Subject,
): Promise<Answers> {
  const answered: Animal[][] = [];
  for (const { method, path, body } of requests(surface, work).slice(0, LOOKED_AT[work])) {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    const text = await response.text();
    const found = response.ok ? animalsIn(JSON.parse(text)) : [];
    if (found.length === 0) {
      throw new CommandFailure(
        1,
        `${server.name} answers ${method} ${path} ${body} with no animal: ${text}`,
      );
    }
    // Each create has an id of its own, and some schemas write enums in capitals.
    answered.push(
      found.map(({ id, name, categoryId, status }) => ({
        id: work === 'create' ? '' : id,
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
