import { builder } from './builder.ts';
import './book.ts';

builder.queryType({ description: 'Operations that read.' });
builder.mutationType({ description: 'Operations that write.' });

/** The GraphQL API: a file for each type. */
export const schema = builder.toSchema({ sortSchema: false });
