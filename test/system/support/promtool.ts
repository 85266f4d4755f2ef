import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireProgram } from '../../cluster/support/program.ts';
import { runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Debian's path, unless the environment variable PROMTOOL names a different one. */
const EXECUTABLE = process.env['PROMTOOL'] ?? '/usr/bin/promtool';
export const RULES = fileURLToPath(
  new URL('../../../deploy/prometheus-alerts.yml', import.meta.url),
);

/** https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/ */
export interface RuleTest {
  /** The interval between values of a series, and between evaluations of the rules. */
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test: readonly {
    readonly eval_time: string;
    readonly alertname: string;
    readonly exp_alerts: readonly {
      readonly exp_labels: Readonly<Record<string, string>>;
      readonly exp_annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

/** Checks whether the alerts in deploy/prometheus-alerts.yml fire as a test expects; returns SUCCESS or the differences. */
export async function testRules(test: RuleTest): Promise<string> {
  const rules = { rule_files: [RULES], evaluation_interval: test.interval, tests: [test] };
  // JSON is valid YAML.
  return runPromtool('test rules "$1"', JSON.stringify(rules));
}

/** Returns what Prometheus's linter objects to in metrics, one line for each fault. */
export async function checkMetrics(metrics: string): Promise<string> {
  return runPromtool('check metrics < "$1"', metrics);
}

/**
 * Returns promtool's output.
 *
 * @param parameters with "$1" in place of a file with this content
 * @throws Error that says what to install
 */
async function runPromtool(parameters: string, content: string): Promise<string> {
  await requireProgram(EXECUTABLE, 'prometheus', 'PROMTOOL');
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'input');
  await writeFile(file, content);
  await using promtool = runProgram('sh', ['-c', `"$0" ${parameters}`, EXECUTABLE, file], {});
  await promtool.exit;
  return promtool.stdout() + promtool.stderr();
}
