import { builder } from './builder.ts';
import './author.ts';
import './book-changes.ts';
import './loan.ts';

builder.queryType({ description: 'Operations that read.' });
builder.mutationType({ description: 'Operations that write.' });

export const schema = builder.toSchema({ sortSchema: false });
