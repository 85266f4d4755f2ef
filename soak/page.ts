import { resultsPage } from '../bench/report/page.ts';
import { TITLE } from './plot.ts';
import { summary } from './report.ts';
import type { Results } from './soak.ts';
import { failuresOf } from './verdict.ts';

/** The page and its picture, relative to the repository. */
export const PAGE = 'docs/results/soak.md';
export const PICTURE = 'docs/results/soak.svg';

const LEGEND = `In the table of faults, _repaired after_ is the duration of the fault, _recovered after_ the time from the repair until the last failed
request was sent, and _failed_ the number of failed requests.
`;

const METHOD = `## How it is measured

- **Load:** four clients, each with an API key, send 90 % hot list, 8 % one animal by id, 2 % creates; every second request goes to
  GraphQL. Requests are sent on schedule, so a slow service doesn't get less load. Creates have an \`Idempotency-Key\`, and are
  retried until they are acknowledged.
- **Faults:** SIGKILL to the gateway or PostgreSQL; SIGSTOP to all of PostgreSQL's processes for 5 s; all connections closed by
  the server, twenty times in 2 s; \`pets\` locked for 5 s; a graceful restart of the gateway with its PostgreSQL.
- **A request succeeds** if it gets a correct response within 2 s. From the first fault on, it **may fail** with a 503 with
  \`Retry-After\` within 2 s, or without a response if a fault had stopped the gateway. Anything else is wrong.

The run fails, with exit code 1, if

- an acknowledged animal is missing, duplicated or has another id; one of the first 100,000 is missing; or there is one that
  no client added;
- a response was wrong;
- a request sent more than 2 s after the repair of a fault failed;
- a fault was not repaired in 30 s; or the gateway exited by itself, failed to start, or didn't shut down within 10 s with exit
  code 0;
- in a run of an hour or more, the median RSS of the last tenth is more than 1.5 times that of the second.
`;

/** Returns the text of docs/results/soak.md. */
export function soakPage(results: Results): string {
  const verdict = failuresOf(results).length === 0 ? 'The run passed.' : 'The run failed.';
  return resultsPage({
    title: 'Soak test results',
    introduction: `For operators: the results of the [soak test](../reliability.md#the-soak-test), and how they were measured. **${verdict}** \`npm run soak\` writes this page.`,
    picture: { file: 'soak.svg', title: TITLE },
    results: `${LEGEND}\n${summary(results)}\n${METHOD}`,
  });
}
