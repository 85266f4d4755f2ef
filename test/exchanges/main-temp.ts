import { record } from './record-temp.ts';
import { differencesOf } from './compare.ts';
const signal = new AbortController().signal;
const t = performance.now();
const one = await record(signal);
console.log(one.length, performance.now() - t);
const two = await record(signal);
const d = differencesOf(one, two);
console.log('differences', d.size);
for (const [difference, names] of [...d].slice(0, 10))
  console.log(difference.slice(0, 300), names.slice(0, 4));
process.exit();
