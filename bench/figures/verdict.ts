import type { Workload } from '../load/calls.ts';
import type { Surface } from '../load/requests.ts';

/** A figure, and its target if it has one. */
export interface Verdict {
  readonly figure: string;
  /** Undefined for a figure of the process as a whole. */
  readonly of?: { readonly surface: Surface; readonly workload: Workload };
  /** Undefined if it wasn't measured. */
  readonly measured: number | undefined;
  readonly digits: number;
  /** Undefined where there is no target. */
  readonly target?: { readonly kind: 'least' | 'most'; readonly value: number };
}

export function plain(figure: string, measured: number | undefined, digits = 2): Verdict {
  return { figure, measured, digits };
}

export function atLeast(figure: string, measured?: number, least?: number, digits = 2): Verdict {
  const target = least === undefined ? {} : { target: { kind: 'least', value: least } as const };
  return { figure, measured, digits, ...target };
}

export function atMost(figure: string, measured?: number, most?: number, digits = 2): Verdict {
  const target = most === undefined ? {} : { target: { kind: 'most', value: most } as const };
  return { figure, measured, digits, ...target };
}

/** Whether a figure meets its target; undefined if it wasn't measured, or has no target. */
export function isMet({ measured, target }: Verdict): boolean | undefined {
  if (measured === undefined || target === undefined) return undefined;
  return target.kind === 'least' ? measured >= target.value : measured <= target.value;
}

/** Shows how a figure compares with its target: `5.90 < 7` is missed, `7.20 ≥ 7` is met, and so is `0.85 ≤ 1`. */
export function comparison(verdict: Verdict): string {
  const { measured, digits, target } = verdict;
  if (measured === undefined) return '';
  const number = measured.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  if (target === undefined) return number;
  const met = isMet(verdict) === true;
  const sign = target.kind === 'least' ? (met ? '≥' : '<') : met ? '≤' : '>';
  return `${number} ${sign} ${target.value}`;
}
