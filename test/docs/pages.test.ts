import { testPage } from '../support/documentation/follow.ts';
import { FOLLOWED } from '../support/documentation/pages.ts';

for (const page of FOLLOWED.keys()) {
  // The README's are in the quick project: test/project/readme-commands.test.ts.
  if (page !== 'README.md') {
    testPage(page);
  }
}
