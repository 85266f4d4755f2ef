import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireProgram } from '../../cluster/support/program.ts';
import { runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Where Debian puts it; elsewhere, the variable PROMTOOL says. */
const EXECUTABLE = process.env['PROMTOOL'] ?? '/usr/bin/promtool';
export const RULES = fileURLToPath(
  new URL('../../../deploy/prometheus-alerts.yml', import.meta.url),
);

/** https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/ */
export interface RuleTest {
  /** The time from one value of a series to the next, and from one look of Prometheus at its rules to the next. */
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

/** Whether the alerts of deploy/prometheus-alerts.yml are as a test expects: SUCCESS, or what is otherwise. */
export async function testRules(test: RuleTest): Promise<string> {
  const rules = { rule_files: [RULES], evaluation_interval: test.interval, tests: [test] };
  // Each JSON is YAML.
  return runPromtool('test rules "$1"', JSON.stringify(rules));
}

/** What Prometheus's linter objects to in metrics, a line for each fault. */
export async function checkMetrics(metrics: string): Promise<string> {
  return runPromtool('check metrics < "$1"', metrics);
}

/**
 * What promtool prints.
 *
 * @param parameters with "$1" in the place of a file of this content
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
