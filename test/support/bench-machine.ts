import type { Machine } from '../../bench/report/machine.ts';

/** A machine on which something was measured. */
export const MACHINE: Machine = {
  date: '2026-11-22',
  commit: '267968a',
  cores: 4,
  processor: 'AMD EPYC',
  memory: 24,
  kernel: '6.18.44-fc-v669',
  node: '26.10.0',
  postgres: '18.4',
  wrk: '4.1.0-3+b2',
};
