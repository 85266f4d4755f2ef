/** What REST answers with, errors included. */
export const MEDIA_TYPE = 'application/json; charset=utf-8';
