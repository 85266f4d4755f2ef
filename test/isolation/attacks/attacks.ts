import type { Attack } from './attack.ts';
import { bodies } from './bodies.ts';
import { connections } from './connections.ts';
import { documents } from './documents.ts';
import { pipelines } from './pipelines.ts';
import { requests } from './requests.ts';

/** All attacks that clients with another key are to be served under. */
export const ATTACKS: readonly Attack[] = [
  ...pipelines,
  ...documents,
  ...bodies,
  ...requests,
  ...connections,
];
