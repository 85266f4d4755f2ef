import { builder } from './builder.ts';
import './pet.ts';

builder.queryType({ description: 'Operations that read.' });
builder.mutationType({ description: 'Operations that write.' });

/** The schema that both APIs execute. */
export const schema = builder.toSchema({ sortSchema: false });
