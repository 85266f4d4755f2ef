import { execFile } from 'node:child_process';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from '../../../packages/local/src/embedded/account.ts';
import { keptForFile } from '../../support/clean-up.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A separate file system that the test can fill. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Fills the disk to the last byte. */
  readonly fill: () => Promise<void>;
  /** Removes the fill again. */
  readonly makeRoom: () => Promise<void>;
}

const run = promisify(execFile);

/**
 * Mounts a file system in memory.
 *
 * @throws Error if this user may not: it requires root, as in a container with CAP_SYS_ADMIN
 */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk> {
  const directory = await temporaryDirectory();
  const { path } = directory;
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'tmpfs', path]);
  } catch (error) {
    await directory[Symbol.asyncDispose]();
    throw new Error('a disk that fills up takes a mount: run this test as root on Linux', {
      cause: error,
    });
  }
  const ballast = join(path, 'ballast');
  const { dev: device } = await stat(path);
  let isMounted = true;
  const disk: SmallDisk = {
    path,
    fill: () => takeAll(ballast, device),
    makeRoom: () => rm(ballast, { force: true }),
    [Symbol.asyncDispose]: async () => {
      if (isMounted) {
        isMounted = false;
        await run('umount', ['-l', path]);
        await directory[Symbol.asyncDispose]();
      }
    },
  };
  // For a test that ends before it disposes of the disk.
  return keptForFile(disk);
}

/** @throws Error if the file is on a different device: the disk is no longer mounted, so this would fill the machine's own */
async function takeAll(file: string, device: number): Promise<void> {
  await using handle = await open(file, 'a');
  if ((await handle.stat()).dev !== device) {
    throw new Error('the small disk is not mounted any more');
  }
  for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 16)) {
    const piece = Buffer.alloc(size);
    try {
      for (;;) {
        await handle.write(piece);
      }
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOSPC') {
        throw error;
      }
    }
  }
}
