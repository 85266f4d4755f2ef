/** To be imported before the service (`node --import`): its requests are patient with the database. */
import { changeConstants } from './changed-sources.ts';
import { PATIENCE } from './constants.ts';

changeConstants(PATIENCE);
