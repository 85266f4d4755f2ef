import type { RequestHandler } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { printedSchema } from '../../schema/printed-schema.ts';

/** The schema as SDL, the same as in schema.graphql. */
export const serveSchema: RequestHandler = servePublicDocument(() =>
  preparePublicDocument(printedSchema(), 'text/plain; charset=utf-8'),
);
