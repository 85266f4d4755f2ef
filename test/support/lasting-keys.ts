/** Imported before the service (`node --import`), this keeps its keys cached. */
import { changeConstants } from './changed-sources.ts';
import { LASTING_KEYS } from './constants.ts';

changeConstants(LASTING_KEYS);
