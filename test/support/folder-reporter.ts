import { dirname } from 'node:path';
import {
  DefaultReporter,
  type TestCase,
  type TestModule,
  type TestSpecification,
} from 'vitest/node';
import {
  createProgress,
  duration,
  type Progress,
  type ProgressOutput,
} from '../../scripts/progress.ts';

/** The parts of a test file's result that a summary needs. */
export interface ReportedFile {
  readonly relativeModuleId: string;
  readonly project: { readonly name: string };
  readonly diagnostic: () => { readonly duration: number };
  readonly state: () => string;
  readonly children: { readonly allTests: () => Iterable<ReportedTest> };
}

interface ReportedTest {
  readonly name: string;
  readonly parent: Parent;
  readonly result: () => { readonly state: string };
}

type Parent =
  | { readonly type: 'module' }
  | { readonly type: 'suite'; readonly name: string; readonly parent: Parent };

/**
 * Shows how many files are done, then one line per folder, and how to run each failed test separately. Errors are
 * printed as Vitest prints them.
 */
export class FolderReporter extends DefaultReporter {
  readonly #progress: Progress;

  constructor({ output = process.stdout }: { readonly output?: ProgressOutput } = {}) {
    super({ summary: false });
    this.#progress = createProgress('files', output);
  }

  override onInit(vitest: Parameters<DefaultReporter['onInit']>[0]): void {
    this.ctx = vitest;
    this.silent = 'passed-only';
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#progress.expect(specifications.length);
  }

  override onTestCaseResult(test: TestCase): void {
    if (test.result().state !== 'failed') return;
    this.#progress.tell(`failed: ${test.module.relativeModuleId} > ${test.fullName}`);
    super.onTestCaseResult(test);
  }

  override onTestModuleEnd(file: TestModule): void {
    super.onTestModuleEnd(file);
    this.#progress.done();
  }

  override onTestRunEnd(
    ...[files, errors, reason]: Parameters<DefaultReporter['onTestRunEnd']>
  ): void {
    this.#progress.clear();
    super.onTestRunEnd(files, errors, reason);
    for (const line of summaryOf(files)) this.#progress.tell(line);
    const took = duration(this.end - this.start);
    this.#progress.tell(`${reason}: ${files.length} test files in ${took}`);
  }

  override printTestModule(): void {
    // A finished file is only counted.
  }

  override reportTestSummary(): void {
    // The folders' lines are the summary.
  }
}

/** Returns one line for each folder, then a command for each failure. */
export function summaryOf(files: readonly ReportedFile[]): string[] {
  const folders = Map.groupBy(files, ({ relativeModuleId }) => folderOf(relativeModuleId));
  const names = [...folders.keys()].toSorted();
  const width = Math.max(0, ...names.map(({ length }) => length));
  const lines = names.map((name) => {
    const inside = folders.get(name) ?? [];
    const states = inside.flatMap((file) =>
      Array.from(file.children.allTests(), (test) => test.result().state),
    );
    const time = inside.reduce((sum, file) => sum + file.diagnostic().duration, 0);
    const failed = states.filter((state) => state === 'failed').length;
    const skipped = states.filter((state) => state === 'skipped').length;
    return [
      `${name.padEnd(width)} ${String(states.length).padStart(5)} tests`,
      `${(time / 1000).toFixed(1).padStart(6)} s`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ].join('  ');
  });
  return [...lines, ...files.filter((file) => file.state() === 'failed').flatMap(commandsFor)];
}

/** Returns `test/rest`, or a package's folder. */
function folderOf(file: string): string {
  return /^packages\/[^/]+/.exec(file)?.[0] ?? dirname(file);
}

/** Returns the command for each failed test, or for the whole file if it failed outside its tests. */
function commandsFor({ relativeModuleId, project, children }: ReportedFile): string[] {
  const command = `npx vitest run --project ${project.name} ${relativeModuleId}`;
  const failed = Array.from(children.allTests()).filter((test) => test.result().state === 'failed');
  if (failed.length === 0) return [command];
  return failed.map((test) => `${command} -t ${quoted(patternOf(test))}`);
}

/** Returns the regular expression that selects a test by its full name, which includes its suites. */
function patternOf({ name, parent }: ReportedTest): string {
  const names = [name];
  for (let suite = parent; suite.type === 'suite'; suite = suite.parent) names.unshift(suite.name);
  return `^${names.join(' ').replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}$`;
}

/** Quotes an argument for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
