import { answeredAt, SUCCESS_STATUSES, type Answer } from './ask.ts';
import type { NewAnimal } from './load-calls.ts';

/** An animal as it is told or kept, with whole numbers as texts. */
export interface Animal {
  readonly id: string;
  readonly name: string;
  readonly categoryId: string;
  readonly status: string;
}

/** An answer of a load. */
export interface LoadAnswer extends Answer {
  /** What was to be added, if anything was. */
  readonly animal: NewAnimal | undefined;
  /** Where a list begins: behind this id. */
  readonly after: number;
}

/** One with the animals that it tells of. */
interface Told {
  readonly answer: LoadAnswer;
  readonly told: readonly Animal[];
}

/** How many animals a list has if it doesn't say how many it wants. */
const PAGE = 20;

/**
 * What is wrong, in words, with what answers tell of a store, or with the animals that it has in the end: each should
 * be as one of the callers sent it, unless somebody else has; what was told of should be there; and a list should have
 * every animal of its page that was acknowledged before it was asked for.
 *
 * @param isOthers whether an animal of this name was sent by somebody else
 */
export function faultsOfAnswers(
  answers: readonly LoadAnswer[],
  stored: readonly Animal[],
  isOthers: (name: string) => boolean,
): string[] {
  const sent = new Set(answers.map(({ animal }) => animal && withoutId(animal)));
  const there = new Set(stored.map(inWords));
  const done = answers
    .filter(({ status }) => SUCCESS_STATUSES.includes(status))
    .map((answer) => ({ answer, told: animalsIn(answer.text) }));
  const additions = done.filter(({ answer }) => answer.animal !== undefined);
  const lists = done.filter(({ answer }) => answer.animal === undefined);
  return [
    ...stored.flatMap((animal) =>
      sent.has(withoutId(animal)) || isOthers(animal.name)
        ? []
        : [`nobody sent ${inWords(animal)}`],
    ),
    ...done.flatMap(({ answer, told }) =>
      told
        .map(inWords)
        .flatMap((animal) =>
          there.has(animal) ? [] : [`${answer.call} told of ${animal}: not there`],
        ),
    ),
    ...additions.flatMap(({ answer: { call, animal }, told }) =>
      told.map(({ name }) => name).join() === animal?.name
        ? []
        : [`${call} of ${animal?.name} told of [${told.map(inWords).join(', ')}]`],
    ),
    ...lists.flatMap(missingIn(additions)),
  ];
}

/** Tells what a list leaves out, though it had been acknowledged. */
function missingIn(additions: readonly Told[]): (list: Told) => string[] {
  const known = additions
    .flatMap((addition) =>
      addition.told.map(({ id }) => ({ id, since: answeredAt(addition.answer) })),
    )
    .toSorted((a, b) => Number(a.id) - Number(b.id));
  return ({ answer: { call, asked, after }, told }) => {
    // What does not follow is none of the page.
    const ids = new Set(told.map(({ id }) => id).filter((id) => Number(id) > after));
    const last = ids.size < PAGE ? Infinity : Number(told.at(-1)?.id);
    const missing: string[] = [];
    for (const { id, since } of known) {
      if (Number(id) > last) {
        break;
      }
      if (Number(id) > after && since < asked && !ids.has(id)) {
        missing.push(id);
      }
    }
    return missing.length === 0
      ? []
      : [`${call} told of [${told.map(({ id }) => id).join()}] without ${missing.join()}`];
  };
}

/** The animals in an answer of either surface, in their order. */
function animalsIn(text: string): Animal[] {
  const animals: Animal[] = [];
  JSON.parse(text, (_key, value: unknown) => {
    if (isAnimal(value)) {
      const { id, name, categoryId, status } = value;
      animals.push({
        id: String(id),
        name: String(name),
        categoryId: String(categoryId),
        status: String(status),
      });
    }
    return value;
  });
  return animals;
}

function isAnimal(value: unknown): value is Readonly<Record<keyof Animal, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['id', 'name', 'categoryId', 'status'].every((field) => field in value)
  );
}

function withoutId({ name, categoryId, status }: Omit<Animal, 'id'> | NewAnimal): string {
  return `${name} of category ${categoryId}, ${status}`;
}

function inWords(animal: Animal): string {
  return `${animal.id} ${withoutId(animal)}`;
}
