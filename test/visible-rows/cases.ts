import { gen, noBias, tuple, type Arbitrary } from 'fast-check';
import type { GraphQLSchema } from 'graphql';
import {
  ANN,
  anyRow,
  CALLERS,
  Choices,
  designs,
  MODELS,
  perModel,
  sees,
  TABLES,
  worldsOf,
  type Design,
  type Model,
  type Row,
  type World,
} from './design.ts';
import {
  anyGraphQLRequest,
  anyRestRequest,
  json,
  RequestChoices,
  type Exchange,
} from './requests.ts';
import { schemaOf } from './schema.ts';

/** A step that is played in both worlds. */
export type Step =
  /** Ann sends a request. If it is a read, others send the same request at the same time. */
  | { readonly kind: 'ask'; readonly exchange: Exchange; readonly beside: readonly string[] }
  /** A row is changed so that ann does not see it any more, differently in each world. */
  | {
      readonly kind: 'hide';
      readonly model: Model;
      readonly id: string;
      readonly values: readonly [Row | 'removed', Row | 'removed'];
    }
  /** Another caller creates a row that ann does not see, a different one in each world. */
  | {
      readonly kind: 'other';
      readonly caller: string;
      readonly exchanges: readonly [Exchange, Exchange];
    };

/** A design, two worlds in which ann sees the same rows, and the steps that are played in both. */
export interface Case {
  readonly design: Design;
  readonly worlds: readonly [World, World];
  readonly steps: readonly Step[];
}

/** Generates a design, two worlds and the steps that are played in both. */
export const cases: Arbitrary<Case> = noBias(tuple(designs, gen())).map(([design, generator]) => {
  const worlds = worldsOf(design, new Choices(generator));
  const hidden = perModel((model) =>
    worlds.flatMap((world) => world[model]).filter((row) => !sees(design.rules[model], ANN, row)),
  );
  const schema = schemaOf(design);
  const choices = new RequestChoices(generator, design, hidden);
  const steps: Step[] = [];
  for (let left = 8 + choices.below(13); left > 0; left -= 1) {
    const step = anyStep(schema, choices, steps);
    if (step !== undefined) {
      steps.push(step);
    }
  }
  return { design, worlds, steps };
});

function anyStep(
  schema: GraphQLSchema,
  choices: RequestChoices,
  before: readonly Step[],
): Step | undefined {
  const kind = choices.below(12);
  if (kind < 5) {
    return ask(anyGraphQLRequest(schema, choices, kind < 3 ? 'query' : 'mutation'), choices);
  }
  if (kind < 8) {
    return ask(anyRestRequest(choices), choices);
  }
  if (kind < 10) {
    const asked = before.filter((step) => step.kind === 'ask');
    return asked.length === 0 ? undefined : ask(choices.of(asked).exchange, choices);
  }
  return kind === 10 ? hide(choices) : other(choices);
}

function ask(exchange: Exchange, choices: Choices): Step {
  const isRead = exchange.method === 'GET' || exchange.body?.startsWith('{"query":"query') === true;
  return {
    kind: 'ask',
    exchange,
    // The other callers may include ann.
    beside: isRead ? CALLERS.filter(() => choices.below(2) === 1) : [],
  };
}

/** Returns a row that ann does not see, without its id and references, or undefined if none is found. */
function hiddenRow(model: Model, choices: RequestChoices): Row | undefined {
  const keys = new Set(TABLES[model].references.map(({ foreignKey }) => foreignKey));
  const nothing = perModel(() => []);
  const rows = Array.from({ length: 5 }, () => anyRow(model, nothing, choices));
  const hidden = rows.find((row) => !sees(choices.design.rules[model], ANN, row));
  return hidden && Object.fromEntries(Object.entries(hidden).filter(([field]) => !keys.has(field)));
}

function hide(choices: RequestChoices): Step | undefined {
  const model = choices.of(MODELS);
  const id = choices.id(model);
  const [first, second] = [hiddenRow(model, choices), hiddenRow(model, choices)];
  return (
    first &&
    second && { kind: 'hide', model, id, values: [first, choices.rarely(2) ? 'removed' : second] }
  );
}

/**
 * Returns a step in which another caller creates a row that ann does not see, sometimes under an idempotency key that
 * ann uses, too.
 */
function other(choices: RequestChoices): Step | undefined {
  const model = choices.of(['Folder', 'Topic'] as const);
  const caller = choices.of(CALLERS.filter((name) => name !== ANN));
  const headers = { 'Content-Type': 'application/json', ...choices.keyed(!choices.rarely(3)) };
  const exchangeOf = (): Exchange | undefined => {
    const hidden = hiddenRow(model, choices);
    const members = Object.entries({ ...hidden, ...(model === 'Folder' && { rank: '1' }) });
    const body = members.map(([name, value]) => [name, value === null ? null : json(name, value)]);
    return (
      hidden && {
        method: 'POST',
        path: `/v1/${TABLES[model].name}`,
        headers,
        body: JSON.stringify(Object.fromEntries(body)),
      }
    );
  };
  const [first, second] = [exchangeOf(), exchangeOf()];
  return first && second && { kind: 'other', caller, exchanges: [first, second] };
}
