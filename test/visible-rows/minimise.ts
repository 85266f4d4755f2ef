import { faultsOf, type BothServed, type Case } from './play.ts';
import { TABLES, type Model, type World } from './tables.ts';

/** The same case with as few steps and rows as still have a fault. Each is left out once. */
export async function minimised(given: Case, served: BothServed): Promise<Case> {
  let least = given;
  const keepIfFaulty = async (less: Case): Promise<void> => {
    if ((await faultsOf(less, served)).length > 0) {
      least = less;
    }
  };
  await keepIfFaulty({ ...given, steps: [] });
  for (const step of least.steps.toReversed()) {
    await keepIfFaulty({ ...least, steps: least.steps.filter((each) => each !== step) });
  }
  for (const { model } of TABLES.toReversed()) {
    const ids = new Set(least.worlds.flatMap((world) => world[model].map((row) => row['id'])));
    for (const id of ids) {
      const [one, other] = least.worlds;
      if (!isReferred(one, model, id) && !isReferred(other, model, id)) {
        const worlds = [without(one, model, id), without(other, model, id)] as const;
        await keepIfFaulty({ ...least, worlds });
      }
    }
  }
  return least;
}

type Id = string | null | undefined;

function isReferred(world: World, model: Model, id: Id): boolean {
  return TABLES.some(({ model: from, references }) =>
    references.some(([field, to]) => to === model && world[from].some((row) => row[field] === id)),
  );
}

function without(world: World, model: Model, id: Id): World {
  return { ...world, [model]: world[model].filter((row) => row['id'] !== id) };
}
