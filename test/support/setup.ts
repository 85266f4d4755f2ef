import { cleanUpAfterFile } from './clean-up.ts';
import { expectKnownEngineCalls } from './engine-calls.ts';

await cleanUpAfterFile();
expectKnownEngineCalls();
// Loaded before the service asks for it: so it has a program right after an operation's second use.
import 'graphql-jit';
