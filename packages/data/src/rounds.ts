/** The requests of a batch in rounds, in their order: those of a round have no name in common. */
export function roundsOf<Request>(
  requests: readonly Request[],
  namesOf: (request: Request) => readonly string[],
): readonly (readonly Request[])[] {
  const rounds: Request[][] = [];
  const next = new Map<string, number>();
  for (const request of requests) {
    const names = namesOf(request);
    const round = Math.max(0, ...names.map((name) => next.get(name) ?? 0));
    for (const name of names) {
      next.set(name, round + 1);
    }
    (rounds[round] ??= []).push(request);
  }
  return rounds;
}
