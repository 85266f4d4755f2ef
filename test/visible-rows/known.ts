import type { Design } from './design.ts';
import { ANN, sees } from './rules.ts';
import type { Model, Row, World } from './tables.ts';

/** What steps are made of: most are about what is hidden. */
export interface Known {
  readonly design: Design;
  /** The rows that ann doesn't see in one of the worlds, or in both. */
  readonly hidden: Readonly<Record<Model, readonly Row[]>>;
}

export function knownOf(design: Design, worlds: readonly World[]): Known {
  const of = (model: Model): Row[] =>
    worlds.flatMap((world) => world[model]).filter((row) => !sees(design.rules[model], ANN, row));
  return {
    design,
    hidden: { Topic: of('Topic'), Folder: of('Folder'), Note: of('Note'), Tag: of('Tag') },
  };
}
