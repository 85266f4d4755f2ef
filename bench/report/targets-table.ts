import type { Verdict } from '../figures/targets.ts';
import { markdownTable } from './markdown-table.ts';

/** Each target, what was measured, and whether it is met. */
export function targetsTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ work, target, measured, unit, met }) => [
    work,
    target,
    measured === undefined ? 'not measured' : `${numberOf(measured, unit)} ${unit}`.trimEnd(),
    met === undefined ? '' : met ? 'met' : 'missed',
  ]);
  return markdownTable(['what', 'target', 'measured', ''], rows, 'llrl');
}

function numberOf(measured: number, unit: Verdict['unit']): string {
  return unit === '' ? String(measured) : measured.toFixed(2);
}
