import { cleanUpAfterFile } from './clean-up.ts';
import { expectKnownEngineCalls } from './engine-calls.ts';

await cleanUpAfterFile();
// Long runs of properties make calls at random, each time others.
if (process.env['LONG_PROPERTIES'] === undefined) {
  expectKnownEngineCalls();
}
// Loaded before the service asks for it: so it has a program right after an operation's second use.
import 'graphql-jit';
