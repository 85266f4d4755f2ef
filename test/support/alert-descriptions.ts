import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { memberAt, objectsIn } from './json-members.ts';

/**
 * Returns what to do about each alert in a file of Prometheus rules, by the alert's name; empty if the rule has no
 * description.
 */
export async function readDescriptions(path: string | URL): Promise<ReadonlyMap<string, string>> {
  const rules = objectsIn(memberAt(parse(await readFile(path, 'utf8')), 'groups')).flatMap(
    (group) => objectsIn(group['rules']),
  );
  return new Map(
    rules.map((rule) => {
      const description = memberAt(rule, 'annotations', 'description');
      return [String(rule['alert']), typeof description === 'string' ? description : ''];
    }),
  );
}
