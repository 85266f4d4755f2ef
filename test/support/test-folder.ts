import { keptForFile } from './clean-up.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Creates a temporary folder, until the file's tests are over; returns its path. */
export async function testFolder(): Promise<string> {
  const folder = keptForFile(await temporaryDirectory());
  return folder.path;
}
