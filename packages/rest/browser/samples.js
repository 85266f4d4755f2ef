import { curlSample } from './curl-sample.js';
import { goSample } from './go-sample.js';
import { javascriptSample } from './javascript-sample.js';
import { pythonSample } from './python-sample.js';

/** @type {readonly (readonly [language: string, write: (example: import('./sample.js').Example) => string])[]} */
export const LANGUAGES = [
  ['curl', curlSample],
  ['JavaScript', javascriptSample],
  ['Python', pythonSample],
  ['Go', goSample],
];
