import { testPage } from '../support/documentation/follow.ts';

testPage('README.md');
