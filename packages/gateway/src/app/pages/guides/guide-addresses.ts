import { referenceTo } from '@store-gateway/http';
import { pathOf } from './guide-files.ts';

/**
 * Tells where a link of a guide leads to from a page: to a guide, to a section, or to the web. What else the guide's
 * repository has isn't served.
 *
 * @param from the path of the page
 */
export function createAddressOf(file: URL, guides: readonly URL[], from: string) {
  const paths = new Map(guides.map((guide) => [guide.href, pathOf(guide)]));
  return (reference: string): string | undefined => {
    const url = URL.parse(reference, file);
    if (url === null || /^https?:$/.test(url.protocol)) {
      return url?.href;
    }
    const { hash } = url;
    url.hash = '';
    const path = paths.get(url.href);
    return path === undefined ? undefined : referenceTo(path, { from }) + hash;
  };
}
