import { testPage } from '../support/documentation/follow.ts';
import { CLIENTS, FOLLOWED } from '../support/documentation/pages.ts';

for (const [page, { packagesOf }] of FOLLOWED) {
  if (packagesOf === CLIENTS) {
    testPage(page);
  }
}
