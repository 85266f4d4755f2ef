/** To be imported before the service (`node --import`): its keys stay known. */
import { changeConstants } from './changed-sources.ts';
import { LASTING_KEYS } from './constants.ts';

changeConstants(LASTING_KEYS);
