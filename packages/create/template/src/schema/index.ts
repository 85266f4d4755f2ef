import { builder } from './builder.ts';
import './book.ts';

builder.queryType({ description: 'Operations that read.' });
builder.mutationType({ description: 'Operations that write.' });

/** The GraphQL schema. Each type has its own file. */
export const schema = builder.toSchema({ sortSchema: false });
