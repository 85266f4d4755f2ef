import { expect, test } from 'vitest';
import { runSample, SAMPLE_LANGUAGES } from '../support/documentation/run-sample.ts';
import { startGateway } from '../support/gateway.ts';

const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const { text: page } = await gateway.request('/docs');

const CASES = SAMPLE_LANGUAGES.flatMap((language) =>
  ['listPets', 'createPet', 'getPet'].map((operation) => [language, operation] as const),
);

test.each(CASES)('the %s code sample for %s runs unchanged', async (language, operation) => {
  await gateway.database.$executeRaw`
    INSERT INTO pets VALUES (42, 'Sampled', ${BigInt(LARGEST)}, 'sold') ON CONFLICT DO NOTHING`;
  const [, section = ''] = page.split(`<section class="operation" id="/animals/${operation}"`);
  const server = `${gateway.url}/v1`;
  const printed = await runSample(section, language, { key: gateway.key, server });
  expect(printed).toContain(operation === 'createPet' ? 'Rex' : 'Sampled');
  expect(printed).toContain(operation === 'createPet' ? '7' : LARGEST);
});

test('no code sample contains a key', () => {
  expect(page).not.toMatch(/asg_[0-9A-Za-z]/);
});
