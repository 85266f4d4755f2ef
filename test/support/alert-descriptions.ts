import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { isJsonObject } from '@store-gateway/ops';

/** What to do about each alert of a file of Prometheus' rules, by the alert's name; empty where a rule doesn't say. */
export async function readDescriptions(path: string | URL): Promise<ReadonlyMap<string, string>> {
  const rules: unknown = parse(await readFile(path, 'utf8'));
  const groups = listOf(rules, 'groups');
  return new Map(
    groups
      .flatMap((group) => listOf(group, 'rules'))
      .map((rule) => [textOf(rule, 'alert'), textOf(memberOf(rule, 'annotations'), 'description')]),
  );
}

function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

function textOf(value: unknown, name: string): string {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
}
