import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { format } from 'oxfmt';
import {
  type Command,
  type CommandIo,
  rejectPositionals,
  runCommand,
} from '@store-gateway/ops/command-line';
import { isJsonObject } from '@store-gateway/ops';
import { serveTarballs } from '../../test/installed/support/registry.ts';
import { packedTarballs, type Tarball } from '../../test/installed/support/tarballs.ts';

const PAGE = 'docs/results/packages.md';

const HELP = `Writes the size of each package to ${PAGE}: its tarball, and what npm installs for it alone, with its dependencies,
its peers and the optional dependencies for this machine.

  npm run pack && npm run --silent weights

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const SCOPE = '@store-gateway/';
const INTRODUCTION = `# Installed size of each package

For developers who use one of [the packages](../../packages/README.md) in their own service: what \`npm install\` adds, including peers,
on Linux x64. \`npm run pack && npm run --silent weights\` writes this page.

The largest parts are Prisma's client (72 MB, with query compilers for all databases) and the embedded PostgreSQL (60 MB, an
optional dependency).
`;
const HEAD = [
  ['Package', 'Tarball (kB)', 'Packages installed', 'third-party', 'MB installed'],
  ['---', '--:', '--:', '--:', '--:'],
];
const run = promisify(execFile);

/** The cells of a package's row. */
async function weigh({ name, file }: Tarball, registry: string, io: CommandIo): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'weights-'));
  try {
    await writeFile(join(folder, 'package.json'), '{}');
    const env = { ...io.env, [`npm_config_${SCOPE.slice(0, -1)}:registry`]: registry };
    await run('npm', ['install', '--ignore-scripts', '--prefer-offline', name], {
      cwd: folder,
      env,
    });
    const modules = join(folder, 'node_modules');
    const lock: unknown = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'));
    const packages = isJsonObject(lock) ? lock['packages'] : undefined;
    const installed = Object.keys(isJsonObject(packages) ? packages : {});
    const ofOthers = installed.filter((path) => !path.includes(SCOPE));
    const { stdout } = await run('du', ['-sk', modules]);
    const [kilobytes, megabytes] = [
      (await stat(file)).size / 1000,
      Number.parseInt(stdout, 10) / 1024,
    ];
    const counts = [installed.length, ofOthers.length].map(String);
    return [
      linkTo(name.slice(SCOPE.length)),
      kilobytes.toFixed(0),
      ...counts,
      megabytes.toFixed(1),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const linkTo = (name: string): string => `[${name}](../../packages/${name}/README.md)`;

async function writeWeights(io: CommandIo): Promise<string> {
  await using registry = await serveTarballs();
  const rows = [...HEAD];
  for (const tarball of await packedTarballs()) {
    rows.push(await weigh(tarball, registry.url, io));
  }
  const table = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  const { code } = await format(PAGE, `${INTRODUCTION}\n${table}`);
  await writeFile(PAGE, code);
  return `Wrote ${PAGE}.\n`;
}

const command: Command = {
  name: 'weights',
  help: HELP,
  options: {},
  read: ({ positionals }) => {
    rejectPositionals(positionals);
    return writeWeights;
  },
};

await runCommand(command);
