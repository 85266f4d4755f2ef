import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/documentation/newcomer.ts';
import { FOLLOWED } from '../support/documentation/pages.ts';
import { isShown, stepsOf } from '../support/documentation/steps.ts';

const inFolder = async (folder: string) =>
  (await readdir(join(ROOT, folder)))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

test.each([...(await inFolder('.')), ...(await inFolder('docs'))])(
  '%s has commands that tests run, or none',
  async (page) => {
    const steps = stepsOf(await readFile(join(ROOT, page), 'utf8'));
    const run = steps.filter((step) => step.kind !== 'command' || step.needs === undefined);
    expect([page, run.length > 0]).toEqual([page, FOLLOWED.has(page)]);
  },
);

function pageOf(...parts: readonly string[]): string {
  return parts.join('\n\n');
}

function shows(text: string, output: string, language = ''): boolean {
  return isShown({ language, text, line: 1, marks: new Map() }, output);
}

const COMMAND = '```sh\nls\n```';
const OUTPUT = '```\na\nb\n```';

describe('of a page', () => {
  test('the block after a command is its output, unless it is a file', () => {
    const steps = stepsOf(
      pageOf(COMMAND, 'prints', OUTPUT, COMMAND, '<!-- file: a.json -->', '```json\n1\n```'),
    );
    expect(steps).toMatchObject([
      { kind: 'command', line: 1, text: 'ls', shown: { text: 'a\nb' } },
      { kind: 'command', line: 12, shown: undefined },
      { kind: 'file', line: 18, path: 'a.json', text: '1\n' },
    ]);
  });

  test('a command with a need is skipped, or run without that part', () => {
    const steps = stepsOf(
      pageOf(
        '<!-- needs: root -->',
        COMMAND,
        OUTPUT,
        '<!-- needs: registry for npm ci && -->\n<!-- keeps running -->',
        '```sh\nnpm ci && npm start\n```',
      ),
    );
    expect(steps).toMatchObject([
      { text: 'ls', needs: 'root' },
      { text: 'npm start', needs: undefined, keepsRunning: true },
    ]);
  });

  test.each([
    ['a change of no file', '```diff\n+1\n```', 'a change of which file'],
    ['output of nothing', OUTPUT, 'neither commands, nor their output, nor a file'],
    ['code that is no file', '```ts\n1\n```', 'neither commands, nor their output, nor a file'],
    ['output of output', pageOf(COMMAND, OUTPUT, OUTPUT), 'neither commands, nor their output'],
    ['a gap to fill in', '```sh\ngit clone …\n```', "a command that can't be pasted"],
    ['a need that is none', `<!-- needs: luck -->\n${COMMAND}`, 'nobody knows what needs: luck'],
    ['a mark that is none', `<!-- skip -->\n${COMMAND}`, 'nobody knows what skip'],
    ['a part that is not there', `<!-- needs: root for rm -->\n${COMMAND}`, 'there is no rm'],
    ['no end', '```sh\nls', 'has no end'],
  ])('%s is refused', (_what, markdown, message) => {
    expect(() => stepsOf(markdown)).toThrow(message);
  });
});

describe('what a page shows', () => {
  test('equals the output, except for the last line break', () => {
    expect(shows('a (b)', 'a (b)\n')).toBe(true);
    expect(shows('a (b)', 'a b\n')).toBe(false);
    expect(shows('a', 'a\nb\n')).toBe(false);
    expect(shows('a', ' a')).toBe(false);
    expect(shows('a\nb', 'a\n')).toBe(false);
  });

  test('has … for any text within a line, and for any lines on a line of its own', () => {
    expect(shows('id …Z x', 'id 2026-11-22Z x\n')).toBe(true);
    expect(shows('id …', 'id 1\n2\n')).toBe(false);
    expect(shows('a\n…\nb', 'a\n1\n2\nb\n')).toBe(true);
    expect(shows('a\n…\nb', 'a\nb\n')).toBe(true);
    expect(shows('a\n…\nb', 'a\nbc\n')).toBe(false);
  });

  test('equals JSON with other white space, but not with other numbers, order or text', () => {
    const text = '{ "id": 9223372036854775807,\n "name": "a  b" }';
    expect(shows(text, '{"id":9223372036854775807,"name":"a  b"}', 'json')).toBe(true);
    expect(shows(text, '{"id":9223372036854775808,"name":"a  b"}', 'json')).toBe(false);
    expect(shows(text, '{"id":9223372036854775807,"name":"a b"}', 'json')).toBe(false);
  });

  test('equals JSON with more members that are null', () => {
    const text = '{ "id": 1, "owner": null }';
    expect(shows(text, '{"id":1,"colour":null,"owner":null,"size":null}', 'json')).toBe(true);
    expect(shows(text, '{"id":1,"owner":null,"colour":"red"}', 'json')).toBe(false);
    expect(shows(text, '{"id":1}', 'json')).toBe(false);
    expect(shows('{ "id": 1 }', '{"id":null}', 'json')).toBe(false);
    expect(shows(text, '{"name":"a  b","id":9223372036854775807}', 'json')).toBe(false);
    expect(shows('[{ "id": "…" }]', '[{"id":"7"}]', 'json')).toBe(true);
  });
});
