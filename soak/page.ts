import { resultsPage } from '../bench/report/page.ts';
import { TITLE } from './plot.ts';
import { summary } from './report.ts';
import type { Results } from './soak.ts';
import { failuresOf } from './verdict.ts';

/** The page and its picture, relative to the repository. */
export const PAGE = 'docs/results/soak.md';
export const PICTURE = 'docs/results/soak.svg';

const LEGEND = `Of a fault, _away_ is the time until it was repaired, _back after_ the time from the repair to the last request sent that was
not done, and _not done_ the number of such requests.
`;

const METHOD = `## How it is measured

- **Load:** four clients, each with a key, send 90 % hot list, 8 % one animal by id, 2 % creates; every second request goes to
  GraphQL. Requests are sent on schedule, so a slow service doesn't get less load. Creates have an \`Idempotency-Key\`, and are
  retried until they are acknowledged.
- **Faults:** SIGKILL to the gateway or PostgreSQL; SIGSTOP to all of PostgreSQL's processes for 5 s; all connections closed by
  the server, twenty times in 2 s; \`pets\` locked for 5 s; a graceful restart of the gateway with its PostgreSQL.
- **A request is done** when it is answered correctly within 2 s. From the first fault on it **may fail** with a 503 with
  \`Retry-After\` within 2 s, or without a response if a fault had stopped the gateway. Anything else is wrong.

The run fails, with exit code 1, if

- an acknowledged animal is missing, duplicated or has another id; one of the first 100,000 is missing; or there is one that
  nobody added;
- a response was wrong;
- a request sent more than 2 s after the repair of a fault was not done;
- a fault was not repaired in 30 s; or the gateway exited by itself, failed to start, or didn't shut down within 10 s with exit
  code 0;
- in a run of an hour or more, the median RSS of the last tenth is more than 1.5 times that of the second.
`;

/** docs/results/soak.md. */
export function soakPage(results: Results): string {
  const verdict = failuresOf(results).length === 0 ? 'The run passed.' : 'The run failed.';
  return resultsPage({
    title: 'Soak test results',
    introduction: `For those who rely on the service: the results of its [soak test](../reliability.md#the-soak-test), and how they were
measured. **${verdict}** \`npm run soak\` writes this page.`,
    picture: { file: 'soak.svg', title: TITLE },
    results: `${LEGEND}\n${summary(results)}\n${METHOD}`,
  });
}
