import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { emptyDatabase } from '../support/database.ts';
