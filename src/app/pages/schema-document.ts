import type { RequestHandler } from 'express';
import { preparePublicDocument, servePublicDocument } from '../../http/public-document.ts';
import { printedSchema } from '../../schema/printed-schema.ts';

/** The schema as SDL, the same as in schema.graphql. */
export const serveSchema: RequestHandler = servePublicDocument(() =>
  preparePublicDocument(printedSchema(), 'text/plain; charset=utf-8'),
);
