import { count } from '../bench/report/format.ts';
import { THEME } from '../bench/report/plot-theme.ts';
import { type Figures, INTERVAL } from './figures.ts';
import type { Recovery } from './recovery.ts';
import type { Results } from './soak.ts';

export const TITLE = 'Requests, latency, memory and event loop delay over time, with the faults';

const WIDTH = 960;
const LEFT = 64;
const RIGHT = 20;
const TOP = 92;
const PANEL = 110;
const BETWEEN = 48;
const SPAN = WIDTH - LEFT - RIGHT;
/** The smallest value that a logarithmic panel shows. */
const LEAST = 0.1;
/** Maximum number of marks on the time axis. */
const TIME_MARKS = 12;

const STYLE = `${THEME}
  .panel { font-weight: 600 }
  .axis { stroke: #d1d9e0; stroke-width: 1 }
  .fault { stroke: #bf8700; stroke-width: 1; opacity: 0.45 }
  .line { fill: none; stroke-width: 1.5; stroke-linejoin: round }
  .a { stroke: #0969da } .b { stroke: #cf222e } .c { stroke: #8c959f }
  .key-a { fill: #0969da } .key-b { fill: #cf222e } .key-c { fill: #59636e }
  @media (prefers-color-scheme: dark) {
    .axis { stroke: #3d444d }
    .fault { stroke: #d29922 }
    .a { stroke: #4493f8 } .b { stroke: #f85149 } .c { stroke: #656c76 }
    .key-a { fill: #4493f8 } .key-b { fill: #f85149 } .key-c { fill: #9198a1 }
  }`;

interface Line {
  readonly kind: 'a' | 'b' | 'c';
  readonly label: string;
  readonly of: (figures: Figures) => number | undefined;
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Whether the scale is logarithmic, starting at 0.1: for values that are mostly small but sometimes large. */
  readonly isLogarithmic?: true;
}

const PANELS: readonly Panel[] = [
  {
    title: 'Requests per second',
    lines: [
      { kind: 'a', label: 'succeeded', of: ({ requests }) => requests.good / INTERVAL },
      {
        kind: 'b',
        label: '503 or no response',
        of: ({ requests: { unavailable, unanswered, wrong } }) =>
          (unavailable + unanswered + wrong) / INTERVAL,
      },
    ],
  },
  {
    title: 'Latency, ms',
    isLogarithmic: true,
    lines: [
      { kind: 'c', label: 'slowest', of: ({ slowest }) => slowest },
      { kind: 'b', label: 'p99', of: ({ p99 }) => p99 },
      { kind: 'a', label: 'p50', of: ({ p50 }) => p50 },
    ],
  },
  {
    title: 'Memory of the gateway (RSS), MiB',
    lines: [{ kind: 'a', label: '', of: ({ rss }) => rss }],
  },
  {
    title: 'Longest event loop delay, ms',
    isLogarithmic: true,
    lines: [{ kind: 'a', label: '', of: ({ eventLoopDelay }) => eventLoopDelay }],
  },
];

/** Draws four panels over the same time as SVG, with a line at each fault. */
export function plot({
  figures,
  recoveries,
  minutes,
}: Pick<Results, 'figures' | 'recoveries' | 'minutes'>): string {
  const height = TOP + PANELS.length * (PANEL + BETWEEN) + 8;
  const x = (seconds: number) => round((seconds / (minutes * 60)) * SPAN);
  const shown = figures.filter(({ at }) => at < minutes * 60);
  const panels = PANELS.map(
    (panel, index) => `<g transform="translate(${LEFT} ${TOP + index * (PANEL + BETWEEN)})">
${drawFaults(recoveries, x)}${drawPanel(panel, shown, x)}</g>
`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${TITLE}">
<style>${STYLE}
</style>
<rect class="background" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="20" y="30">${minutes} minutes under load, with a fault at each upright line</text>
<text class="note" x="20" y="50">In turn: ${[...new Set(recoveries.map(({ fault }) => fault))].join(', ')}.</text>
${panels.join('')}${drawTime(minutes, x)}</svg>
`;
}

function drawFaults(recoveries: readonly Recovery[], x: (seconds: number) => number): string {
  return recoveries.map(({ at }) => `<path class="fault" d="M${x(at)} 0V${PANEL}"/>\n`).join('');
}

/** Draws the time axis, below all panels. */
function drawTime(minutes: number, x: (seconds: number) => number): string {
  const step = Math.ceil(minutes / TIME_MARKS);
  const marks = Array.from({ length: Math.floor(minutes / step) + 1 }, (_, index) => index * step);
  const y = TOP + PANELS.length * (PANEL + BETWEEN) - BETWEEN + 20;
  return marks
    .map(
      (minute) =>
        `<text class="note" x="${LEFT + x(minute * 60)}" y="${y}" text-anchor="middle">${minute}${minute === 0 ? ' min' : ''}</text>\n`,
    )
    .join('');
}

function drawPanel(
  { title, lines, isLogarithmic }: Panel,
  figures: readonly Figures[],
  x: (seconds: number) => number,
): string {
  const values = lines.flatMap(({ of }) => figures.map(of)).filter((value) => value !== undefined);
  const largest = Math.max(1, ...values);
  const powers = Math.ceil(Math.log10(largest));
  const scale = isLogarithmic
    ? (value: number) => Math.max(0, (Math.log10(Math.max(value, LEAST)) + 1) / (powers + 1))
    : (value: number) => value / largest;
  const y = (value: number) => round(PANEL * (1 - scale(value)));
  const marks = isLogarithmic
    ? Array.from({ length: powers + 1 }, (_, power) => 10 ** power)
    : [0, largest / 2, largest];
  const keys = lines
    .filter(({ label }) => label !== '')
    .map(({ kind, label }) => `<tspan class="key-${kind}" dx="14">${label}</tspan>`);
  return `<text class="panel" y="-10">${title}${keys.join('')}</text>
${marks.map((mark) => `<path class="axis" d="M0 ${y(mark)}H${SPAN}"/><text class="note" x="-8" y="${y(mark) + 4}" text-anchor="end">${count(mark)}</text>\n`).join('')}${lines.map(({ kind, of }) => `<path class="line ${kind}" d="${pathOf(figures, of, x, y)}"/>\n`).join('')}`;
}

/** The path of a line, which is interrupted where there is no value. */
function pathOf(
  figures: readonly Figures[],
  of: Line['of'],
  x: (seconds: number) => number,
  y: (value: number) => number,
): string {
  let command = 'M';
  return figures
    .map((figure) => {
      const value = of(figure);
      const step = value === undefined ? '' : `${command}${x(figure.at)} ${y(value)}`;
      command = value === undefined ? 'M' : 'L';
      return step;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
