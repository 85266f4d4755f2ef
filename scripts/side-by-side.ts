import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isatty } from 'node:tty';

/*
 * Runs the command lines that are its arguments side by side: one has the cores while another waits. What the last prints is
 * shown as it comes, what each other prints in one piece when it has ended. Fails if any has failed, and says which.
 */

// A terminal's Ctrl-C goes to all of them, and each has something to tidy up.
process.on('SIGINT', () => undefined);

/** Those that write to a pipe would leave out colours. */
const colours = isatty(1) && { FORCE_COLOR: '1' };

async function run(command: string, index: number, { length }: readonly string[]) {
  const child = spawn(command, {
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // oxlint-disable-next-line node/no-process-env -- it is handed on
    env: { ...process.env, ...colours },
  });
  const isShown = index === length - 1;
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      if (isShown) process.stdout.write(piece);
      else pieces.push(piece);
    });
  }
  await once(child, 'close');
  process.stdout.write(Buffer.concat(pieces));
  return child.exitCode === 0 ? [] : [command];
}

const failed = (await Promise.all(process.argv.slice(2).map(run))).flat();
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
