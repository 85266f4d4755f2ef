import { builder } from './builder.ts';
import './pet.ts';

builder.queryType({ description: 'What can be read.' });
builder.mutationType({ description: 'What can be changed.' });

/** The application: both APIs execute it. */
export const schema = builder.toSchema({ sortSchema: false });
