import { type Cell, cellName, type Figures, type Sample } from './sample.ts';

/** The median of some numbers; undefined if there are none. */
export function median(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** The samples of a cell, in the order of their rounds. */
export function samplesOf(samples: readonly Sample[], cell: Cell): readonly Sample[] {
  const name = cellName(cell);
  return samples.filter((sample) => cellName(sample.cell) === name);
}

export function medianFigure(
  samples: readonly Sample[],
  cell: Cell,
  figure: keyof Figures,
): number | undefined {
  return median(samplesOf(samples, cell).map((sample) => sample[figure]));
}

/**
 * Returns the median ratio of `of`'s figure to `to`'s in the same round; undefined if no round has both. Ratios are computed
 * within rounds because anything that slows down a whole round, such as a noisy neighbour, affects both.
 */
export function medianRatio(
  samples: readonly Sample[],
  of: Cell,
  to: Cell,
  figure: keyof Figures,
): number | undefined {
  return ratioWithinRounds(
    samplesOf(samples, of).map(({ round, ...sample }) => [round, sample[figure]]),
    samplesOf(samples, to).map(({ round, ...sample }) => [round, sample[figure]]),
  );
}

/** The median ratio of two servers' memory after the last cell of each in a round. */
export function medianMemoryRatio(
  samples: readonly Sample[],
  of: string,
  to: string,
  figure: 'rss' | 'pss',
): number | undefined {
  return ratioWithinRounds(memoryByRound(samples, of, figure), memoryByRound(samples, to, figure));
}

export function medianMemory(
  samples: readonly Sample[],
  server: string,
  figure: 'rss' | 'pss',
): number | undefined {
  return median(memoryByRound(samples, server, figure).map(([, value]) => value));
}

type OfRound = readonly [round: number, value: number];

function memoryByRound(
  samples: readonly Sample[],
  server: string,
  figure: 'rss' | 'pss',
): readonly OfRound[] {
  // A later sample of the same round replaces an earlier one.
  return [
    ...new Map(
      samples
        .filter(({ cell }) => cell.server === server)
        .map((sample) => [sample.round, sample[figure]]),
    ),
  ];
}

function ratioWithinRounds(of: readonly OfRound[], to: readonly OfRound[]): number | undefined {
  const divisors = new Map(to);
  return median(
    of.flatMap(([round, value]) => {
      const divisor = divisors.get(round);
      return divisor === undefined || divisor === 0 || divisor === Infinity
        ? []
        : [value / divisor];
    }),
  );
}
