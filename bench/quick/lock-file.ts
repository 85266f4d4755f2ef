import { isJsonObject } from '@store-gateway/ops';

/**
 * Returns the packages that npm installs from a lock file, as text to compare. Workspaces are left out, because npm only links
 * them.
 */
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
