import { cleanUpAfterFile } from './clean-up.ts';

cleanUpAfterFile();
