import { expect, test } from 'vitest';
import { renderReference } from '../../src/reference.ts';

const responses = (own: string) => ({
  404: { $ref: `#/components/responses/${own}` },
  401: { $ref: '#/components/responses/NoKey' },
});
const DOCUMENT = JSON.stringify({
  info: { title: 'A library', version: '1' },
  servers: [{ url: '../v1' }],
  tags: [{ name: 'books' }],
  paths: {
    '/books': {
      get: {
        operationId: 'list',
        tags: ['books'],
        summary: 'List',
        responses: responses('NoList'),
      },
      post: {
        operationId: 'add',
        tags: ['books'],
        summary: 'Add',
        responses: responses('NoShelf'),
      },
    },
  },
  components: {
    responses: {
      NoList: { description: 'No list.' },
      NoShelf: { description: 'No shelf.' },
      NoKey: { description: 'No key.' },
    },
  },
});

test('responses that operations share are folded into one line, behind their own', () => {
  const { markup } = renderReference(DOCUMENT).content;
  const sections = markup.split('<h4>Responses</h4>').slice(1);
  expect(sections).toHaveLength(2);
  for (const [section, own] of [
    [sections[0] ?? '', 'No list.'],
    [sections[1] ?? '', 'No shelf.'],
  ] as const) {
    const [before = '', folded = ''] = section.split('As other operations:');
    expect(before).toContain(own);
    expect(before).not.toContain('No key.');
    expect(folded).toContain('No key.');
    expect(folded).not.toContain(own);
  }
});
