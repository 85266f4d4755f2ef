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
  'the tests follow %s if and only if it has commands that can be run',
  async (page) => {
    const steps = stepsOf(await readFile(join(ROOT, page), 'utf8'));
    const run = steps.filter((step) => step.kind !== 'command' || step.needs === undefined);
    expect([page, run.length > 0]).toEqual([page, FOLLOWED.has(page)]);
  },
);

function pageOf(...parts: readonly string[]): string {
  return parts.join('\n\n');
}

const COMMAND = '```sh\nls\n```';
const OUTPUT = '```\na\nb\n```';

describe('steps of a page', () => {
  test('the block after a command is its expected output, unless it is a file', () => {
    const steps = stepsOf(
      pageOf(COMMAND, 'prints', OUTPUT, COMMAND, '<!-- file: a.json -->', '```json\n1\n```'),
    );
    expect(steps).toMatchObject([
      { kind: 'command', line: 1, text: 'ls', shown: { text: 'a\nb' } },
      { kind: 'command', line: 12, shown: undefined },
      { kind: 'file', line: 18, path: 'a.json', text: '1\n' },
    ]);
  });

  test('a command with an unmet need is skipped, or runs without the part that has the need', () => {
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
    ['a change that names no file', '```diff\n+1\n```', 'a change of which file'],
    ['output without a command', OUTPUT, 'neither commands, nor their output, nor a file'],
    ['code that is not a file', '```ts\n1\n```', 'neither commands, nor their output, nor a file'],
    ['output after output', pageOf(COMMAND, OUTPUT, OUTPUT), 'neither commands, nor their output'],
    ['a command with a gap', '```sh\ngit clone …\n```', "a command that can't be pasted"],
    ['an unknown need', `<!-- needs: luck -->\n${COMMAND}`, 'nobody knows what needs: luck'],
    ['an unknown mark', `<!-- skip -->\n${COMMAND}`, 'nobody knows what skip'],
    ['a part that does not occur', `<!-- needs: root for rm -->\n${COMMAND}`, 'there is no rm'],
    ['a block without an end', '```sh\nls', 'has no end'],
  ])('%s is rejected', (_what, markdown, message) => {
    expect(() => stepsOf(markdown)).toThrow(message);
  });
});

const BOTH = '{ "id": 9223372036854775807,\n "name": "a  b" }';
const NULL = '{ "id": 1, "owner": null }';

test.each([
  ['a (b)', 'a (b)\n', true],
  ['a (b)', 'a b\n', false],
  ['a', 'a\nb\n', false],
  ['a', ' a', false],
  ['a\nb', 'a\n', false],
  // Within a line, `…` stands for any text; on its own line, for any number of lines.
  ['id …Z x', 'id 2026-11-22Z x\n', true],
  ['id …', 'id 1\n2\n', false],
  ['a\n…\nb', 'a\n1\n2\nb\n', true],
  ['a\n…\nb', 'a\nb\n', true],
  ['a\n…\nb', 'a\nbc\n', false],
  // JSON may differ in white space and have additional null members, but numbers, order and text must match.
  [BOTH, '{"id":9223372036854775807,"name":"a  b"}', true, 'json'],
  [BOTH, '{"id":9223372036854775808,"name":"a  b"}', false, 'json'],
  [BOTH, '{"id":9223372036854775807,"name":"a b"}', false, 'json'],
  [BOTH, '{"name":"a  b","id":9223372036854775807}', false, 'json'],
  [NULL, '{"id":1,"colour":null,"owner":null,"size":null}', true, 'json'],
  [NULL, '{"id":1,"owner":null,"colour":"red"}', false, 'json'],
  [NULL, '{"id":1}', false, 'json'],
  ['{ "id": 1 }', '{"id":null}', false, 'json'],
  ['[{ "id": "…" }]', '[{"id":"7"}]', true, 'json'],
])('whether %j in a page matches the output %j: %s', (text, output, fits, language = '') => {
  expect(isShown({ language, text, line: 1, marks: new Map() }, output)).toBe(fits);
});
