import type { RequestHandler } from 'express';
import { answerOtherMethod, JSON_TYPE, send } from '@store-gateway/http';
import type { Admit } from '../auth/admission.ts';

/** Where callers are told what their key may do. */
export const KEY_PATH = '/key';

const METHODS = ['GET', 'HEAD'];

/** Tells the caller what its own key may do. */
export function createKeyEndpoint(admit: Admit): RequestHandler {
  return async (request, response) => {
    if (!METHODS.includes(request.method)) {
      answerOtherMethod(request, response, METHODS);
      return;
    }
    const { caller } = await admit({ request, response });
    const { scopes, origins, documentsOnly } = caller;
    const names = scopes === 'all' ? null : [...scopes].toSorted();
    send(response, JSON_TYPE, JSON.stringify({ scopes: names, origins, documentsOnly }));
  };
}
