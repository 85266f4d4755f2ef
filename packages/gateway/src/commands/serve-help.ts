import type { Gateway } from '../definition.ts';
import { SETTINGS } from '../config/config.ts';

/** Columns of a line, and of the names of variables. */
const WIDTH = 109;
const NAMES = 29;

/** The text of `npm start -- --help`. */
export function helpOf({ title, description, defaults }: Gateway): string {
  const variables = Array.from(SETTINGS.values(), ({ variable, fallback, help }) =>
    entry(variable, help(defaults[variable] ?? fallback)),
  );
  return `Runs the ${title}: ${description} over GraphQL and REST, until Ctrl-C or SIGTERM.

  npm start

It takes no arguments. Environment variables configure it; an empty one counts as unset:

${variables.join('\n')}
  OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT
${entry('', "turn traces on; by default off. OpenTelemetry's other variables apply")}

Health checks are at /livez and /readyz, without a key. SIGTERM or Ctrl-C shuts down gracefully: in-flight
requests finish first, within 10 s. A second signal exits at once, with code 130 or 143; the embedded
PostgreSQL then keeps running, and the next start takes it over. With several WORKERS, SIGHUP replaces them
one by one, without a failed request.

Exit codes: 0 stopped, 1 failed, 2 usage error.
`;
}

/** A name, and what it means beside it. */
function entry(name: string, meaning: string): string {
  let lines = `  ${name}`.padEnd(NAMES);
  let column = NAMES;
  for (const [index, word] of meaning.split(' ').entries()) {
    if (column + word.length >= WIDTH) {
      lines += `\n${' '.repeat(NAMES)}${word}`;
      column = NAMES + word.length;
    } else {
      lines += index === 0 ? word : ` ${word}`;
      column += word.length + 1;
    }
  }
  return lines;
}
