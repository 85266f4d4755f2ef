import { array, nat, tuple, type Arbitrary } from 'fast-check';
import { designs } from './design.ts';
import { knownOf } from './known.ts';
import type { Case } from './play.ts';
import { Choices } from './random.ts';
import { schemaToAsk } from './random-schema.ts';
import { randomSteps } from './random-steps.ts';
import { worldsOf } from './worlds.ts';

const numbers = nat({ max: 9999 });

/** Any design, two worlds and what happens in them. */
export const cases: Arbitrary<Case> = tuple(
  designs,
  array(numbers, { minLength: 60, maxLength: 200, size: 'max' }),
  array(array(numbers, { minLength: 20, maxLength: 80, size: 'max' }), {
    minLength: 8,
    maxLength: 20,
    size: 'max',
  }),
).map(([design, ofWorlds, ofSteps]) => {
  const worlds = worldsOf(design, new Choices(ofWorlds));
  const steps = randomSteps(schemaToAsk(design), knownOf(design, worlds), ofSteps);
  return { design, worlds, steps };
});
