import { builder } from './builder.ts';
import './author.ts';
import './book.ts';
import './loan.ts';

builder.queryType({ description: 'What can be read.' });
builder.mutationType({ description: 'What can be changed.' });

export const schema = builder.toSchema({ sortSchema: false });
