import { builder } from './builder.ts';
import './pet.ts';

builder.queryType({ description: 'What can be read.' });
builder.mutationType({ description: 'What can be changed.' });

/** The application. Both surfaces run on it. */
export const schema = builder.toSchema({ sortSchema: false });
