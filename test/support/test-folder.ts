import { onFileFinished } from './clean-up.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The path of a temporary folder, until the tests of the file are over. */
export async function testFolder(): Promise<string> {
  const folder = await temporaryDirectory();
  onFileFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}
