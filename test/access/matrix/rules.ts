import { ARGUMENT, INPUT, MUTATION } from './arguments.ts';
import { FIELD } from './fields.ts';
import { HIDDEN_ROW } from './hidden-rows.ts';
import { READ, WRITE } from './root-fields.ts';
import type { Column } from './rule.ts';
import { TYPE } from './types.ts';

/** Those by scopes. */
export const RULES = [READ, WRITE, FIELD, TYPE, ARGUMENT, INPUT, MUTATION];

/** The columns of the table in SECURITY.md. */
export const COLUMNS: readonly Column[] = [...RULES, HIDDEN_ROW];
