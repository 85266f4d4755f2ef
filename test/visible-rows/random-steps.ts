import type { GraphQLSchema } from 'graphql';
import type { Known } from './known.ts';
import { Choices } from './random.ts';
import { randomDocument } from './random-document.ts';
import { randomRequest } from './random-request.ts';
import { ANN, CALLERS, sees } from './rules.ts';
import type { Exchange, Step } from './steps.ts';
import { tableOf, TABLES, type Model, type Row } from './tables.ts';
import { anyId, anyInput } from './values.ts';
import { anyRow } from './worlds.ts';

const OTHERS = CALLERS.filter((name) => name !== ANN);
const JSON_BODY = { 'Content-Type': 'application/json' };

/** Steps of a design, each by the numbers of one list. */
export function randomSteps(
  schema: GraphQLSchema,
  known: Known,
  numbers: readonly (readonly number[])[],
): Step[] {
  const steps: Step[] = [];
  for (const each of numbers) {
    const choices = new Choices(each);
    const step = randomStep(schema, known, choices, steps);
    if (step !== undefined) {
      steps.push(step);
    }
  }
  return steps;
}

function randomStep(
  schema: GraphQLSchema,
  known: Known,
  choices: Choices,
  before: readonly Step[],
): Step | undefined {
  const kind = choices.of([
    'query',
    'query',
    'query',
    'mutation',
    'mutation',
    'rest',
    'rest',
    'rest',
    'again',
    'again',
    'hide',
    'other',
  ] as const);
  switch (kind) {
    case 'query':
    case 'mutation':
      return ask(byGraphQL(randomDocument(schema, known, choices, kind), kind, choices), choices);
    case 'rest':
      return ask(randomRequest(known, choices), choices);
    case 'hide':
      return hide(known, choices);
    case 'other':
      return other(known, choices);
    case 'again': {
      const asked = before.filter((step) => step.kind === 'ask');
      return asked.length === 0 ? undefined : ask(choices.of(asked).exchange, choices);
    }
    default:
      return kind satisfies never;
  }
}

function byGraphQL(query: string, kind: string, choices: Choices): Exchange {
  const key: Record<string, string> =
    kind === 'mutation' && choices.rarely(3) ? { 'Idempotency-Key': choices.of(['k1', 'k2']) } : {};
  return {
    method: 'POST',
    path: '/graphql',
    headers: { ...JSON_BODY, ...key },
    body: JSON.stringify({ query }),
  };
}

function ask(exchange: Exchange, choices: Choices): Step {
  const isRead = exchange.method === 'GET' || exchange.body?.startsWith('{"query":"query') === true;
  // Others, and ann herself once more.
  return { kind: 'ask', exchange, beside: isRead ? choices.some([...OTHERS, ANN]) : [] };
}

/** A row with other values that ann doesn't see, if there are any. */
function hiddenRow(known: Known, model: Model, choices: Choices): Row | undefined {
  const table = tableOf(model);
  const empty = { Topic: [], Folder: [], Note: [], Tag: [] };
  for (let tries = 0; tries < 5; tries += 1) {
    const row = anyRow(table, empty, choices);
    if (!sees(known.design.rules[model], ANN, row)) {
      return row;
    }
  }
  return undefined;
}

function hide(known: Known, choices: Choices): Step | undefined {
  const { model } = choices.of(TABLES);
  const id = anyId(model, known, choices);
  const [first, second] = [hiddenRow(known, model, choices), hiddenRow(known, model, choices)];
  if (first === undefined || second === undefined) {
    return undefined;
  }
  // Foreign keys stay.
  const { references } = tableOf(model);
  const withoutKeys = (row: Row) =>
    Object.fromEntries(
      Object.entries(row).filter(
        ([field]) => field !== 'id' && !references.some(([key]) => key === field),
      ),
    );
  return {
    kind: 'hide',
    model,
    id,
    values: [withoutKeys(first), choices.rarely(2) ? 'removed' : withoutKeys(second)],
  };
}

/** Somebody else adds what ann doesn't see, perhaps under a key that is ann's, too. */
function other(known: Known, choices: Choices): Step | undefined {
  const model = choices.of(['Folder', 'Topic'] as const);
  const key: Record<string, string> = choices.rarely(3)
    ? {}
    : { 'Idempotency-Key': choices.of(['k1', 'k2']) };
  const exchangeOf = (): Exchange | undefined => {
    const hidden = hiddenRow(known, model, choices);
    const { parentId: _parent, ...input } = anyInput(known, model, choices, 'create');
    const body = { ...input, ...hidden, ...(model === 'Folder' && { rank: 1 }) };
    const ownerId = hidden?.['ownerId'];
    return (
      hidden && {
        method: 'POST',
        path: `/v1/${model.toLowerCase()}s`,
        headers: { ...JSON_BODY, ...key },
        body: JSON.stringify({
          ...body,
          ...(ownerId !== undefined && { ownerId: ownerId === null ? null : Number(ownerId) }),
          parentId: undefined,
        }),
      }
    );
  };
  const [first, second] = [exchangeOf(), exchangeOf()];
  return (
    first && second && { kind: 'other', caller: choices.of(OTHERS), exchanges: [first, second] }
  );
}
