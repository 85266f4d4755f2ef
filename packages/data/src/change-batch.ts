import { runGroups } from './batch.ts';
import type { Change, ChangeShape } from './encode-change.ts';
import { roundsOf } from './rounds.ts';

/** The parameters of changes of one shape. */
export function changeLists(changes: readonly Change[]): (string | null)[][] {
  const values = changes[0]?.values ?? [];
  return [
    changes.map(({ id }) => id),
    ...values.map((_value, index) => changes.map((change) => change.values[index] ?? null)),
  ];
}

/**
 * Runs the changes of a batch in rounds, so that those of one row are made in their order, and in each round those of one
 * shape together.
 *
 * @param others names that a request has in a round alone, beside its row's
 */
export async function runByShape<Request extends { readonly reject: (error: unknown) => void }>(
  requests: readonly Request[],
  changeOf: (request: Request) => Change,
  isFault: (error: unknown) => boolean,
  run: (alike: readonly Request[]) => Promise<void>,
  others: (request: Request) => readonly string[] = () => [],
): Promise<void> {
  const namesOf = (request: Request): string[] => {
    const { id } = changeOf(request);
    return [...(id === null ? [] : [`row ${id}`]), ...others(request)];
  };
  for (const round of roundsOf(requests, namesOf)) {
    const byShape = Map.groupBy(round, (request) => nameOf(changeOf(request).shape));
    await runGroups([...byShape.values()], isFault, run);
  }
}

export function nameOf({ operation, set, conditions }: ChangeShape): string {
  let name: string = operation;
  for (const { column } of set) {
    name += `\n${column}`;
  }
  for (const condition of conditions) {
    name += `\n${condition.name}`;
  }
  return name;
}
