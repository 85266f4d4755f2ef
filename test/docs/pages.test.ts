import { testPage } from '../support/documentation/follow.ts';
import { CLIENTS, FOLLOWED } from '../support/documentation/pages.ts';

for (const [page, { packagesOf }] of FOLLOWED) {
  // The README's are in the quick project: test/project/readme-commands.test.ts.
  if (page !== 'README.md' && packagesOf !== CLIENTS) {
    testPage(page);
  }
}
