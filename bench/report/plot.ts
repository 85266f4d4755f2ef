import { medianFigure } from '../figures/medians.ts';
import type { Sample } from '../figures/sample.ts';
import { type Workload, workloads } from '../load/calls.ts';
import type { Surface } from '../load/requests.ts';
import { OURS } from '../plan.ts';
import { count } from './format.ts';
import { THEME } from './plot-theme.ts';

const WIDTH = 960;
const TOP = 96;
const BAR = 15;
const GAP = 5;
/** The space above each workload of a panel, which contains its title. */
const BETWEEN = 40;
const PANEL = { width: 450, labels: 112, numbers: 58 };
const CONNECTIONS = 32;

const WORKLOADS: Readonly<Record<(typeof workloads)[number], string>> = {
  hot: 'hot list: available, 20 a page',
  mixed: 'mixed lists: any status, limit and cursor',
  get: 'one animal by its id',
  create: 'create',
  ids: 'ten animals by their ids',
  change: 'change of name and status',
  remove: 'remove',
  mix: '90 % hot list, 8 % get, 2 % create',
};

const STYLE = `${THEME}
  .surface { font-size: 15px; font-weight: 600 }
  .workload { font-weight: 600 }
  .peer { fill: #8c959f }
  .limit { fill: none; stroke: #8c959f; stroke-dasharray: 3 3 }
  .ours { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .peer { fill: #656c76 }
    .limit { stroke: #656c76 }
    .ours { fill: #4493f8 }
  }`;

/**
 * Plots requests per second at 32 connections as SVG: REST on the left, GraphQL on the right, with a bar for each server.
 *
 * @param limits names of the servers that return a constant response; their bars would dwarf the others, and are cut off at the edge
 */
export function plot(samples: readonly Sample[], limits: ReadonlySet<string>): string {
  const left = panel(samples, 'rest', limits);
  const right = panel(samples, 'graphql', limits);
  const note = samples.some(({ cell }) => limits.has(cell.server))
    ? ' node-http, dashed, answers with a constant: the limit, cut off where it is more.'
    : '';
  const height = TOP + Math.max(left.height, right.height) + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Requests per second of each server, by workload">
<style>${STYLE}
</style>
<rect class="background" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="20" y="30">Requests per second at ${CONNECTIONS} connections</text>
<text class="note" x="20" y="50">Longer is better. Bars compare within a workload.${note}</text>
<g transform="translate(20 ${TOP})">
${left.svg}</g>
<g transform="translate(${WIDTH / 2 + 10} ${TOP})">
${right.svg}</g>
</svg>
`;
}

interface Drawn {
  readonly svg: string;
  readonly height: number;
}

function panel(samples: readonly Sample[], surface: Surface, limits: ReadonlySet<string>): Drawn {
  let svg = `<text class="surface" y="-16">${surface === 'rest' ? 'REST' : 'GraphQL'}</text>\n`;
  let height = 0;
  for (const workload of workloads) {
    const bars = barsOf(samples, surface, workload, limits);
    if (bars.length > 0) {
      svg += `<text class="workload" y="${height + 14}">${WORKLOADS[workload]}</text>\n`;
      svg += drawBars(bars, limits, height + 22);
      height += bars.length * (BAR + GAP) + BETWEEN;
    }
  }
  return { svg, height };
}

interface Bar {
  readonly server: string;
  readonly value: number;
}

/** Ours first, then the peers from the fastest to the slowest, then the limits. */
function barsOf(
  samples: readonly Sample[],
  surface: Surface,
  workload: Workload,
  limits: ReadonlySet<string>,
): readonly Bar[] {
  const place = (server: string) => (server === OURS ? 0 : limits.has(server) ? 2 : 1);
  const servers = [...new Set(samples.map(({ cell }) => cell.server))];
  return servers
    .flatMap((server) => {
      const cell = { server, surface, workload, connections: CONNECTIONS };
      const value = server.startsWith('growth-')
        ? undefined
        : medianFigure(samples, cell, 'requestsPerSecond');
      return value === undefined ? [] : [{ server, value }];
    })
    .toSorted((a, b) => place(a.server) - place(b.server) || b.value - a.value);
}

function drawBars(bars: readonly Bar[], limits: ReadonlySet<string>, top: number): string {
  const longest = Math.max(...bars.map(({ server, value }) => (limits.has(server) ? 0 : value)), 1);
  const room = PANEL.width - PANEL.labels - PANEL.numbers;
  return bars
    .map(({ server, value }, index) => {
      const y = top + index * (BAR + GAP);
      const width = Math.round(Math.min(1, value / longest) * room * 10) / 10;
      const kind = limits.has(server) ? 'limit' : server === OURS ? 'ours' : 'peer';
      return `<text x="${PANEL.labels - 8}" y="${y + 12}" text-anchor="end">${server}</text>
<rect class="${kind}" x="${PANEL.labels}" y="${y}" width="${width}" height="${BAR}" rx="2"/>
<text x="${PANEL.labels + width + 6}" y="${y + 12}">${count(value)}</text>
`;
    })
    .join('');
}
