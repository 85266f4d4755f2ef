import { testPage } from '../support/documentation/follow.ts';
import { FOLLOWED } from '../support/documentation/pages.ts';

for (const page of FOLLOWED.keys()) {
  // The quick project tests the README in test/project/readme-commands.test.ts.
  if (page !== 'README.md') {
    testPage(page);
  }
}
