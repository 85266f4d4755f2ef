import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiling what a start loads, and stripping its types, is a third of the start's work: kept from the one
// before. It has to be switched on before the rest is loaded, hence an import below. With the packages, where
// who may write could change the program anyway (in a folder for all, such as the default, others could plant
// code), and `npm ci` empties it. Where it can't be written the program is compiled each time.
enableCompileCache(
  fileURLToPath(new URL('../node_modules/.cache/animal-store-gateway', import.meta.url)),
);
await import('./commands/serve.ts');
