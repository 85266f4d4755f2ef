import { readdir, readFile } from 'node:fs/promises';

/** The unit in which Linux counts CPU time, in seconds. */
const TICK = 0.01;

/** A process: CPU seconds, user and system, of itself and of its children that have ended. */
interface Stat {
  readonly parent: number;
  readonly seconds: number;
}

/** CPU seconds, user and system, of a process and all its descendants, including ended ones. */
export async function cpuOf(processId: number): Promise<number> {
  const [seconds = 0] = await cpuOfEach([processId]);
  return seconds;
}

/** CPU seconds of several processes and their descendants, at the same moment. */
export async function cpuOfEach(processIds: readonly number[]): Promise<readonly number[]> {
  const stats = await readStats();
  return processIds.map((root) =>
    treeOf(root, stats).reduce((sum, id) => sum + (stats.get(id)?.seconds ?? 0), 0),
  );
}

/** CPU nanoseconds of each thread, as the scheduler counts them. */
export type ThreadTimes = ReadonlyMap<string, number>;

/** The times of all threads of some processes and their descendants, for intervals so short that a tick matters. */
export async function threadTimes(processIds: readonly number[]): Promise<ThreadTimes> {
  const stats = await readStats();
  const tree = processIds.flatMap((root) => treeOf(root, stats));
  return new Map((await Promise.all(tree.map(threadsOf))).flat());
}

/** CPU nanoseconds between two moments, without threads that ended in between. */
export function cpuBetween(begin: ThreadTimes, end: ThreadTimes): number {
  return [...end].reduce((sum, [thread, time]) => sum + time - (begin.get(thread) ?? 0), 0);
}

async function threadsOf(process: number): Promise<[string, number][]> {
  const folder = `/proc/${process}/task`;
  const threads = await readdir(folder).catch(() => []);
  return Promise.all(
    threads.map(async (thread): Promise<[string, number]> => {
      const text = await readFile(`${folder}/${thread}/schedstat`, 'utf8').catch(() => '0');
      return [thread, Number(text.split(' ')[0])];
    }),
  );
}

/** Memory in MiB of a process and all its descendants: RSS, and PSS, which counts a page that n processes share as an nth. */
export async function memoryOf(processId: number): Promise<{ rss: number; pss: number }> {
  const tree = treeOf(processId, await readStats());
  const rollups = await Promise.all(
    // A process that has ended meanwhile has no such file.
    tree.map((id) => readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '')),
  );
  const mebibytes = (name: string) =>
    rollups.reduce(
      (sum, rollup) =>
        sum + Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? 0) / 1024,
      0,
    );
  return { rss: mebibytes('Rss'), pss: mebibytes('Pss') };
}

type Stats = ReadonlyMap<number, Stat>;

function treeOf(root: number, stats: Stats): readonly number[] {
  const isOfTree = (id: number): boolean =>
    id === root || (id > 1 && isOfTree(stats.get(id)?.parent ?? 0));
  return [...stats.keys()].filter(isOfTree);
}

async function readStats(): Promise<Stats> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(names.map(readStat));
  return new Map(stats.filter((stat) => stat !== undefined));
}

async function readStat(name: string): Promise<[number, Stat] | undefined> {
  // A process that has ended meanwhile has no such file.
  const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined);
  // The fields after the program's name, which may contain spaces and parentheses: state, parent, and so on; see proc(5).
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined) return undefined;
  const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK, 0);
  return [Number(name), { parent: Number(fields[1]), seconds }];
}
