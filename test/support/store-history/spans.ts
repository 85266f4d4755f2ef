/** From one moment to a later one, by a clock that counts what clients send and receive: no two things happen at once. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The moments that any of the spans has, as spans that are apart. */
export function union(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = apart.at(-1);
    if (last === undefined || last.to < span.from) {
      apart.push(span);
    } else {
      apart.splice(-1, 1, { from: last.from, to: Math.max(last.to, span.to) });
    }
  }
  return apart;
}

/** The moments that both have. */
export function intersection(some: readonly Span[], others: readonly Span[]): Span[] {
  return some.flatMap((one) =>
    others
      .map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }))
      .filter(({ from, to }) => from < to),
  );
}
