/** What clients are answered with, errors included, unless they ask for another type. */
export const JSON_TYPE = 'application/json; charset=utf-8';
