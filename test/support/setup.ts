import { cleanUpAfterFile } from './clean-up.ts';

await cleanUpAfterFile();
// Loaded before the service asks for it: so it has a program right after an operation's second use.
import 'graphql-jit';
