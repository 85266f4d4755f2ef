import { testPage } from '../support/documentation/follow.ts';
import { FOLLOWED } from '../support/documentation/pages.ts';

/** Pages whose tests are elsewhere: test/project/readme-commands.test.ts, which is quick, and tutorial.test.ts. */
const ELSEWHERE = new Set(['README.md', 'docs/tutorial.md']);

for (const page of FOLLOWED.keys()) {
  if (!ELSEWHERE.has(page)) {
    testPage(page);
  }
}
