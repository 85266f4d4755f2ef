/** Imported before the service (`node --import`), this makes its requests wait longer for the database. */
import { changeConstants } from './changed-sources.ts';
import { PATIENCE } from './constants.ts';

changeConstants(PATIENCE);
