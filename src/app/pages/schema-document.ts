import type { RequestHandler } from 'express';
import { printSchema } from 'graphql';
import { preparePublicDocument, servePublicDocument } from '../../http/public-document.ts';
import { schema } from '../../schema/index.ts';

/** The schema as SDL, the same as in schema.graphql. */
export const serveSchema: RequestHandler = servePublicDocument(() =>
  preparePublicDocument(`${printSchema(schema)}\n`, 'text/plain; charset=utf-8'),
);
