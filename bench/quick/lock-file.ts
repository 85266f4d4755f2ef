import { isJsonObject } from '@store-gateway/ops';

/** What npm installs by a lock file, as a text to compare: the workspaces, which it only links, are not in it. */
export function installedBy(lockFile: string): string {
  const parsed: unknown = JSON.parse(lockFile);
  const packages = isJsonObject(parsed) ? parsed['packages'] : undefined;
  const all = isJsonObject(packages) ? Object.entries(packages) : [];
  return JSON.stringify(
    all.filter(
      ([path, entry]) =>
        path.includes('node_modules/') && isJsonObject(entry) && entry['link'] !== true,
    ),
  );
}
