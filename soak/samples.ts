/** Maximum number of texts that are kept. */
const MOST = 20;

/** The first reported texts, each with its time. */
export interface Samples {
  readonly add: (what: string) => void;
  readonly all: () => readonly string[];
}

/** @param now seconds since the run began */
export function createSamples(now: () => number): Samples {
  const samples: string[] = [];
  return {
    add: (what) => {
      if (samples.length < MOST) samples.push(`${now().toFixed(1)} s: ${what}`);
    },
    all: () => samples,
  };
}
