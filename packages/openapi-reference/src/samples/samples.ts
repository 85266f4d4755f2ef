import type { Operation } from '../operations.ts';
import { curlSample } from './curl.ts';
import { exampleOf } from './example-request.ts';
import { goSample } from './go.ts';
import { javascriptSample } from './javascript.ts';
import { pythonSample } from './python.ts';

const LANGUAGES = [
  ['curl', curlSample],
  ['JavaScript', javascriptSample],
  ['Python', pythonSample],
  ['Go', goSample],
] as const;

export interface Sample {
  readonly language: string;
  readonly code: string;
}

/** An operation's code samples: they read the key from `API_KEY` in the environment. */
export function samplesOf(operation: Operation, server: string): Sample[] {
  const example = exampleOf(operation, server);
  return LANGUAGES.map(([language, write]) => ({ language, code: write(example) }));
}
