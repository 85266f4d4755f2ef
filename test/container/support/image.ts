import { access } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { outputOf, type Podman } from './podman.ts';

/** Builds deploy/Containerfile as docs/operations.md says, with what this machine has to reach npm's registry. */
export async function buildImage(podman: Podman, name: string): Promise<void> {
  const volumes = (await npmSettings()).flatMap((volume) => ['--volume', volume]);
  const how = ['--network', 'host', '--isolation', 'chroot', '--layers=false'];
  const what = ['--format', 'docker', '-t', name, '-f', 'deploy/Containerfile', '.'];
  await podman.run(['build', ...how, ...volumes, ...what]);
}

/** npm's files of settings and certificates, mounted while the image is built, so that nothing of them stays. */
async function npmSettings(): Promise<readonly string[]> {
  // Not the settings that npm would have with the Node of this project, or has told a script that it runs.
  const PATH = (await outputOf('printenv', ['PATH']))
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  const ofMachine = { PATH, npm_config_prefix: undefined, npm_config_globalconfig: undefined };
  const places = { userconfig: '/root/.npmrc', globalconfig: '/usr/local/etc/npmrc', cafile: '' };
  const volumes = Object.entries(places).map(async ([setting, place]) => {
    const file = await outputOf('npm', ['config', 'get', setting], ofMachine);
    return (await isThere(file)) ? [`${file}:${place || file}:ro`] : [];
  });
  return (await Promise.all(volumes)).flat();
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
