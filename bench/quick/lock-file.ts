import { isJsonObject } from '@store-gateway/ops';

/** The packages that npm installs by a lock file, as text to compare. Workspaces, which npm only links, are left out. */
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
