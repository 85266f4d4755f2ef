import { writeFile } from 'node:fs/promises';
import { printSchema } from 'graphql';
import { schema } from '../src/schema/index.ts';

const file = new URL('../schema.graphql', import.meta.url);
await writeFile(file, `${printSchema(schema)}\n`);
