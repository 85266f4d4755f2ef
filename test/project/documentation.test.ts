import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changed } from '../support/documentation/change.ts';
import { ROOT } from '../support/documentation/newcomer.ts';
import { FOLLOWED } from '../support/documentation/pages.ts';
import { isShown } from '../support/documentation/shown-output.ts';
import { stepsOf } from '../support/documentation/steps.ts';

const inFolder = async (folder: string) =>
  (await readdir(join(ROOT, folder)))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

test.each([...(await inFolder('.')), ...(await inFolder('docs'))])(
  '%s has commands that are run, or none that could be',
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
  test('commands have the block behind them as their output, but for a file', () => {
    const steps = stepsOf(
      pageOf(COMMAND, 'prints', OUTPUT, COMMAND, '<!-- file: a.json -->', '```json\n1\n```'),
    );
    expect(steps).toMatchObject([
      { kind: 'command', line: 1, text: 'ls', shown: { text: 'a\nb' } },
      { kind: 'command', line: 12, shown: undefined },
      { kind: 'file', line: 18, path: 'a.json', text: '1\n' },
    ]);
  });

  test('what can not run here is not run, nor compared; or without the part that can not', () => {
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

describe('a change', () => {
  const FILE = 'a\n  b\n\n  b c\nd\n';

  test('is made at each of its places, whose lines are whole', () => {
    expect(changed(FILE, '   b\n+  new\n \n@@\n-d\n+e')).toBe('a\n  b\n  new\n\n  b c\ne\n');
    expect(changed(FILE, '+new\n a\n@@\n-  b c\n d')).toBe('new\na\n  b\n\nd\n');
  });

  test.each([' missing\n+new', '   b\n   b c\n+new', ' c\n+new'])(
    'is refused where its place is not: %j',
    (diff) => {
      expect(() => changed(FILE, diff)).toThrow('not once in the file');
    },
  );

  test('is refused where its place is twice', () => {
    expect(() => changed('a\nb\na\n', ' a\n+new')).toThrow('not once in the file');
  });
});

describe('what a page shows', () => {
  test('is what comes, but for the last line break', () => {
    expect(shows('a (b)', 'a (b)\n')).toBe(true);
    expect(shows('a (b)', 'a b\n')).toBe(false);
    expect(shows('a', 'a\nb\n')).toBe(false);
    expect(shows('a', ' a')).toBe(false);
    expect(shows('a\nb', 'a\n')).toBe(false);
  });

  test('has … for any text within a line, and alone on a line for any lines', () => {
    expect(shows('id …Z x', 'id 2026-11-22Z x\n')).toBe(true);
    expect(shows('id …', 'id 1\n2\n')).toBe(false);
    expect(shows('a\n…\nb', 'a\n1\n2\nb\n')).toBe(true);
    expect(shows('a\n…\nb', 'a\nb\n')).toBe(true);
    expect(shows('a\n…\nb', 'a\nbc\n')).toBe(false);
  });

  test('may have other space between the tokens of JSON, and no other numbers, order or text', () => {
    const text = '{ "id": 9223372036854775807,\n "name": "a  b" }';
    expect(shows(text, '{"id":9223372036854775807,"name":"a  b"}', 'json')).toBe(true);
    expect(shows(text, '{"id":9223372036854775808,"name":"a  b"}', 'json')).toBe(false);
    expect(shows(text, '{"id":9223372036854775807,"name":"a b"}', 'json')).toBe(false);
  });

  test('is JSON that may have more members since, which are null', () => {
    const text = '{ "id": 1, "owner": null }';
    expect(shows(text, '{"id":1,"colour":null,"owner":null,"size":null}', 'json')).toBe(true);
    expect(shows(text, '{"id":1,"owner":null,"colour":"red"}', 'json')).toBe(false);
    expect(shows(text, '{"id":1}', 'json')).toBe(false);
    expect(shows('{ "id": 1 }', '{"id":null}', 'json')).toBe(false);
    expect(shows(text, '{"name":"a  b","id":9223372036854775807}', 'json')).toBe(false);
    expect(shows('[{ "id": "…" }]', '[{"id":"7"}]', 'json')).toBe(true);
  });
});
