import { groupsOfRound, secondsOfGroup } from './budget.ts';
import type { Calibrator } from './calibration/calibrator.ts';
import { medianSpeed } from './figures/speed.ts';
import { outliers, steadier, type GroupRun } from './figures/group-run.ts';
import { measureGroup, type Measuring, warmUpGroups } from './measure-rounds.ts';
import type { Group } from './plan.ts';
import type { Session } from './processes/session.ts';

/** How often a group is measured again in a round if the machine's speed was unusual. */
const REPEATS = 2;

/**
 * Measures each group in its rounds, and the machine's speed before, between and after them. Groups that were measured at an
 * unusual speed are measured again. Stops by the deadline, with fewer rounds if necessary.
 *
 * @param deadline in milliseconds of performance.now()
 */
export async function measureCalibrated(
  groups: readonly Group[],
  session: Session,
  calibrator: Calibrator,
  deadline: number,
  measuring: Measuring,
): Promise<readonly GroupRun[]> {
  const { rounds, seconds, progress } = measuring;
  await warmUpGroups(groups, session, measuring);
  const hasTimeFor = (some: readonly Group[]) =>
    performance.now() +
      some.reduce((sum, group) => sum + secondsOfGroup(group, seconds), 0) * 1000 <=
    deadline;
  const planned = Array.from({ length: rounds }, (_, round) => groupsOfRound(groups, round));
  progress.expect(planned.flat(2).length);
  let speed = await calibrator.measure();
  const run = async (group: Group, round: number): Promise<GroupRun> => {
    const before = speed;
    const samples = await measureGroup(group, round, session, measuring);
    speed = await calibrator.measure();
    return { group, round, samples, speeds: [before, speed] };
  };

  const runs: GroupRun[] = [];
  for (const [round, some] of planned.entries()) {
    if (round > 0 && !hasTimeFor(some)) {
      progress.tell(`stopping after ${round} of ${rounds} rounds: no time left`);
      break;
    }
    for (const group of some) runs.push(await run(group, round));
  }
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const usual = medianSpeed(runs.flatMap(({ speeds }) => speeds));
    for (const off of outliers(runs)) {
      if (!hasTimeFor([off.group])) continue;
      progress.tell("repeating measurements, because the machine's speed was unusual:");
      speed = await calibrator.measure();
      const again = await run(off.group, off.round);
      runs[runs.indexOf(off)] = steadier(off, again, usual);
    }
  }
  return runs;
}
