import { expect, test } from 'vitest';
import { WrittenJson } from '../../src/json.ts';

test('JSON.stringify writes what is written already to the last digit', () => {
  const text = '[{"id":9223372036854775807,"number":-1.50e2,"text":"\\"1\\"","none":null}]';
  expect(JSON.stringify({ rows: new WrittenJson(text) })).toBe(`{"rows":${text}}`);
});
