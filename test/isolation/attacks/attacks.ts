import { onTwoWorkers, type Attack } from './attack.ts';
import { bodies, unknownMembers, windows } from './bodies.ts';
import { connections, resets } from './connections.ts';
import { documents } from './documents.ts';
import { networks, pipelines } from './pipelines.ts';
import { requests, unreadLog } from './requests.ts';

/** What one process bears, others in front of it or beside it may not. */
const ON_ONE_AND_TWO: readonly Attack[] = [unknownMembers, networks, resets, windows, unreadLog];

/** All attacks that clients with another key are to be served under. */
export const ATTACKS: readonly Attack[] = [
  ...pipelines,
  ...documents,
  ...bodies,
  ...requests,
  ...connections,
  ...ON_ONE_AND_TWO,
  ...ON_ONE_AND_TWO.map(onTwoWorkers),
];
