import { testPage } from '../support/documentation/follow.ts';

testPage('test/owner/changes.md');
