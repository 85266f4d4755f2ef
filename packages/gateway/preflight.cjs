'use strict';
// Ends a start with one sentence that says what to do, where the program can't run as it was installed. Old and plain
// JavaScript, preloaded by `node -r`: a Node that is too old for the program has to be able to read it. Run by itself
// it also looks for what developers' tools need, or with --production only at Node, before anything is installed; otherwise it
// prepares the start.
const fs = require('fs');
const { enableCompileCache } = require('module');
const path = require('path');

/** The first major version with `await using`. */
const MINIMUM_NODE = 24;

/** The root folder of the project: of the program that is started, or where this is run by itself. */
const root =
  require.main === module ? process.cwd() : projectOf(path.resolve(process.argv[1] || ''));
/** @type {{ name: string, dependencies: object, devDependencies: object }} */
// oxlint-disable-next-line typescript/no-unsafe-assignment -- npm has checked it
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** @param {string} file @returns {string} */
function projectOf(file) {
  const folder = path.dirname(file);
  if (folder === file) return process.cwd();
  return fs.existsSync(path.join(folder, 'package.json')) ? folder : projectOf(folder);
}

/** @param {string} file below the root folder */
function isThere(file) {
  return fs.existsSync(path.join(root, file));
}

/** @param {object} packages */
function firstMissing(packages) {
  return Object.keys(packages).find((name) => !isThere(`node_modules/${name}`));
}

/** @param {string} remedy */
function oldNode(remedy) {
  const version = process.versions.node;
  return parseInt(version, 10) < MINIMUM_NODE
    ? `Node ${version} is too old, it needs ${MINIMUM_NODE} or newer; ${remedy}`
    : undefined;
}

function findFault() {
  if (require.main === module && process.argv[2] === '--production') {
    return oldNode('install one');
  }
  const dependency = firstMissing(manifest.dependencies);
  if (dependency !== undefined) {
    return `its dependencies are not installed (${dependency} is missing); run: npm ci`;
  }
  const tool = require.main === module ? firstMissing(manifest.devDependencies) : undefined;
  if (tool !== undefined) {
    return `its development dependencies are not installed (${tool} is missing); run: npm ci --include=dev`;
  }
  const bringsNode = isThere('node_modules/node');
  const isGenerated = isThere('prisma/generated/pothos.ts');
  if (!isGenerated && !isThere('node_modules/prisma')) {
    return 'its database client, prisma/generated, is missing; run: npm run install:production';
  }
  if (!isGenerated || (bringsNode && !isThere('node_modules/.bin/node'))) {
    return 'its dependencies were installed without their install scripts; run: npm rebuild --ignore-scripts=false';
  }
  const old = oldNode(
    bringsNode
      ? 'start it with npm, which uses the one in node_modules/.bin'
      : 'install one, or run npm ci without --omit=dev, which fetches one',
  );
  if (old !== undefined) {
    return old;
  }
  if (!fs.existsSync(path.join(__dirname, 'src/graphql/playground/generated'))) {
    return 'the files of GraphiQL, its page at /graphql, are missing; run: npm run generate:graphiql';
  }
  return undefined;
}

const fault = findFault();
if (fault !== undefined) {
  process.stderr.write(`${manifest.name}: ${fault}\n`);
  process.exit(1);
}
if (require.main !== module) {
  // Compiling what a start loads, and stripping its types, is a third of the start's work: kept from the one before. It
  // has to be switched on before the rest is loaded. With the packages, where who may write could change the program
  // anyway (in a folder for all, such as the default, others could plant code), and `npm ci` empties it. Where it can't be
  // written the program is compiled each time.
  enableCompileCache(path.join(root, 'node_modules/.cache', manifest.name));
}
