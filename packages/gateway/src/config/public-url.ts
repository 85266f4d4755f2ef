/** Neither user name, query nor fragment, and nothing that HTML or a Link header would have to escape. */
const FORM = /^https?:\/\/[^/?#@\\"'&<>`]+(?:\/(?:[\w.~/-]|%[\da-f]{2})*)?$/i;

/** The URL under which clients reach the service, without a slash at the end; undefined if it is none. */
export function parsePublicUrl(text: string): string | undefined {
  return FORM.test(text) ? URL.parse(text)?.href.replace(/\/+$/, '') : undefined;
}

/** What it has to be, for an error message. */
export const PUBLIC_URL_FORM =
  'an http or https URL such as https://shop.example/store, without user, query and fragment';
