import { json } from './json-text.ts';
import type { Choices } from './random.ts';
import type { Known } from './known.ts';
import { ANN, OWNERS, TEAMS } from './rules.ts';
import { tableOf, type Model } from './tables.ts';
import { idOf, NAMES } from './worlds.ts';

/** Ids of rows that may be there, of which some are hidden, and of none. */
export function anyId(model: Model, { hidden }: Known, choices: Choices): string {
  const row = hidden[model].length > 0 && choices.below(2) === 1 && choices.of(hidden[model]);
  if (row) {
    return row['id'] ?? '';
  }
  return idOf(model, choices.of([1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 51, 99, 100, 101]));
}

/** A value for an argument, a parameter or a member of this name, as text. */
export function anyValue(name: string, model: Model, known: Known, choices: Choices): string {
  if (name.endsWith('Prefix') || name === 'prefix') {
    return choices.of(['app', 'A', 'b', 'blue', 'apple p']);
  }
  const values: Readonly<Record<string, () => string>> = {
    id: () => anyId(model, known, choices),
    ids: () => anyId(model, known, choices),
    folderId: () => anyId('Folder', known, choices),
    parentId: () => anyId('Folder', known, choices),
    topicId: () => anyId('Topic', known, choices),
    noteId: () => anyId('Note', known, choices),
    ownerId: () => choices.of(OWNERS),
    team: () => choices.of(TEAMS),
    name: () => choices.of(NAMES),
    title: () => choices.of(NAMES),
    label: () => choices.of(NAMES),
    search: () => choices.of(['app', 'ple', 'berry', 'pie', 'PINE']),
    code: () => String(choices.below(4)),
    rank: () => String(choices.below(3)),
    rankFrom: () => String(choices.below(4)),
    rankBefore: () => String(choices.below(4)),
    limit: () => String(1 + choices.below(4)),
    first: () => String(choices.below(4)),
    last: () => String(choices.below(4)),
    after: () => anyCursor(model, known, choices),
    before: () => anyCursor(model, known, choices),
    expected: () => `{{version:${choices.below(20)}}}`,
    idempotencyKey: () => choices.of(['k1', 'k2']),
  };
  const value = values[name];
  if (value === undefined) {
    throw new Error(`no value is known for ${name}`);
  }
  return value();
}

function anyCursor(model: Model, known: Known, choices: Choices): string {
  return choices.below(3) === 0 ? anyId(model, known, choices) : `{{cursor:${choices.below(20)}}}`;
}

/** Members of a new row, or of a change: often such that ann sees the row. */
export function anyInput(
  known: Known,
  model: Model,
  choices: Choices,
  kind: 'create' | 'update' | 'replace',
): Readonly<Record<string, unknown>> {
  const { columns, unique } = tableOf(model);
  const { design, hidden } = known;
  const answer = design.rules[model]?.answers[ANN];
  // The unique values of a hidden row, now and then.
  const taken = hidden[model].length > 0 && choices.rarely(5) && choices.of(hidden[model]);
  const seen = typeof answer === 'object' ? answer : {};
  const members: [string, unknown][] = [];
  for (const field of Object.keys(columns)) {
    if (field === 'id') {
      continue;
    }
    const isOptional = field === 'parentId' || field === 'folderId';
    if ((kind === 'update' && choices.below(3) !== 0) || (isOptional && choices.below(2) === 0)) {
      continue;
    }
    const own = [seen[field] ?? []].flat();
    const value =
      taken && unique.includes(field)
        ? (taken[field] ?? '1')
        : own.length > 0 && choices.below(5) !== 0
          ? choices.of(own)
          : anyValue(field, model, known, choices);
    members.push([field, json(field, value)]);
  }
  return Object.fromEntries(members);
}
