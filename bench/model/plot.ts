import { count } from '../report/format.ts';
import { THEME } from '../report/plot-theme.ts';
import type { Prediction } from './predict.ts';
import type { Scaled } from './scaling.ts';

const WIDTH = 960;
const TOP = 96;
const BAR = 13;
const GAP = 5;
/** Between the works of a panel, with its title. */
const BETWEEN = 36;
const PANEL = { width: 450, labels: 140, numbers: 112 };

const STYLE = `${THEME}
  .panel { font-size: 15px; font-weight: 600 }
  .work { font-weight: 600 }
  .measured, .apart { fill: #0969da }
  .same { fill: #8c959f }
  .predicted { stroke: #cf222e; stroke-width: 3 }
  @media (prefers-color-scheme: dark) {
    .measured, .apart { fill: #4493f8 }
    .same { fill: #656c76 }
    .predicted { stroke: #ff7b72 }
  }`;

interface Bar {
  readonly group: string;
  readonly label: string;
  readonly kind: 'measured' | 'apart' | 'same';
  readonly value: number;
  readonly mark?: number;
  readonly text: string;
}

/** The model against the measurement on the left, and larger machines on the right, as SVG. */
export function plot(predictions: readonly Prediction[], scaled: readonly Scaled[]): string {
  const left = predictions.map(({ measured, predicted, isFitted }): Bar => {
    const processes = measured.workers === 1 ? '' : ', 2 workers';
    return {
      group: measured.work,
      label: `${measured.connections}${processes}${isFitted ? ' (fitted)' : ''}`,
      kind: 'measured',
      value: measured.requestsPerSecond,
      mark: predicted.requestsPerSecond,
      text: count(measured.requestsPerSecond),
    };
  });
  const right = scaled.map(({ work, cores, clientsPerWorker, isApart, outcome }): Bar => ({
    group: work,
    label: `${cores} cores, ${clientsPerWorker} clients`,
    kind: isApart ? 'apart' : 'same',
    value: outcome.requestsPerSecond,
    text: `${count(outcome.requestsPerSecond / 1000)}k, batch ${outcome.batch.toFixed(0)}`,
  }));
  const panels = [drawPanel('This machine, by connections', left), drawPanel('Predicted', right)];
  const height = TOP + Math.max(...panels.map((panel) => panel.height)) + 8;
  const body = panels
    .map(({ svg }, index) => {
      const x = index === 0 ? 20 : WIDTH / 2 + 10;
      return `<g transform="translate(${x} ${TOP})">\n${svg}</g>\n`;
    })
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Requests per second, measured and predicted">
<style>${STYLE}
</style>
<rect class="background" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="20" y="30">Requests per second by REST: measured, and predicted by the model</text>
<text class="note" x="20" y="50">Red: the prediction. Right, with clients per worker: blue with PostgreSQL 1 ms away, grey on the same machine.</text>
${body}</svg>
`;
}

function drawPanel(title: string, bars: readonly Bar[]): { svg: string; height: number } {
  let svg = `<text class="panel" y="-16">${title}</text>\n`;
  let height = 0;
  for (const [group, own] of Map.groupBy(bars, (bar) => bar.group)) {
    svg += `<text class="work" y="${height + 14}">${group}</text>\n`;
    svg += drawBars(own, height + 22);
    height += own.length * (BAR + GAP) + BETWEEN;
  }
  return { svg, height };
}

function drawBars(bars: readonly Bar[], top: number): string {
  const longest = Math.max(...bars.map(({ value, mark = 0 }) => Math.max(value, mark)));
  const room = PANEL.width - PANEL.labels - PANEL.numbers;
  const widthOf = (value: number) => Math.round((value / longest) * room * 10) / 10;
  return bars
    .map(({ label, kind, value, mark, text }, index) => {
      const y = top + index * (BAR + GAP);
      const width = widthOf(value);
      const at = PANEL.labels + widthOf(mark ?? 0);
      const line =
        mark === undefined
          ? ''
          : `<line class="predicted" x1="${at}" y1="${y - 1}" x2="${at}" y2="${y + BAR + 1}"/>\n`;
      return `<text x="${PANEL.labels - 8}" y="${y + 11}" text-anchor="end">${label}</text>
<rect class="${kind}" x="${PANEL.labels}" y="${y}" width="${width}" height="${BAR}" rx="2"/>
${line}<text x="${Math.max(PANEL.labels + width, at) + 6}" y="${y + 11}">${text}</text>
`;
    })
    .join('');
}
