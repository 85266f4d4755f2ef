#!/usr/bin/env node
'use strict';
// Ends a start with one sentence that says what to do, where the program can't run as it was installed. Old and plain
// JavaScript, preloaded by `node -r`: a Node that is too old for the program has to be able to read it. Run by itself, as
// `gateway-preflight`, it brings a project's database client up to date; in the repository it looks for what developers' tools
// need, or with --production only at Node, before anything is installed. Otherwise it prepares the start.
const { spawnSync } = require('child_process');
const fs = require('fs');
const { enableCompileCache } = require('module');
const path = require('path');

/** Installed from the registry, compiled, and not run from this repository's sources. */
const isInstalled = fs.existsSync(path.join(__dirname, 'dist'));
const isRunByItself = require.main === module;

/** The first version with `await using`, which is compiled away, or that runs TypeScript without being told to. */
const MINIMUM_NODE = isInstalled ? '22.18' : '24';

/** The root folder of the project: of the program that is started, or where this is run by itself. */
const root = isRunByItself ? process.cwd() : projectOf(path.resolve(process.argv[1] || ''));
/** @type {{ name: string, dependencies: object | undefined, devDependencies: object | undefined }} */
// oxlint-disable-next-line typescript/no-unsafe-assignment -- npm has checked it
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

const SCHEMA = 'prisma/schema.prisma';
/** What is generated last. */
const GENERATED = 'prisma/generated/pothos.ts';

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

/**
 * The folder of a package, which may be installed further up, for several projects.
 *
 * @param {string} name @returns {string | undefined}
 */
function folderOf(name, folder = root) {
  const found = path.join(folder, 'node_modules', name);
  if (fs.existsSync(found)) return found;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : folderOf(name, parent);
}

/** @param {string} name */
function hasPackage(name) {
  return folderOf(name) !== undefined;
}

/** @param {object | undefined} packages */
function firstMissing(packages) {
  return Object.keys(packages || {}).find((name) => !hasPackage(name));
}

/** @param {string} remedy */
function oldNode(remedy) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = MINIMUM_NODE.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
    ? `Node ${process.versions.node} is too old, it needs ${MINIMUM_NODE} or newer; ${remedy}`
    : undefined;
}

function findFault() {
  if (isInstalled) return faultOfProject();
  if (isRunByItself && process.argv[2] === '--production') {
    return oldNode('install one');
  }
  const dependency = firstMissing(manifest.dependencies);
  if (dependency !== undefined) {
    return `its dependencies are not installed (${dependency} is missing); run: npm ci`;
  }
  const tool = isRunByItself ? firstMissing(manifest.devDependencies) : undefined;
  if (tool !== undefined) {
    return `its development dependencies are not installed (${tool} is missing); run: npm ci --include=dev`;
  }
  const bringsNode = isThere('node_modules/node');
  const isGenerated = isThere(GENERATED);
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

/** Of a project that has the gateway installed. */
function faultOfProject() {
  const old = oldNode('install one');
  if (old !== undefined) {
    return old;
  }
  const dependency = firstMissing(manifest.dependencies);
  if (dependency !== undefined) {
    return `its dependencies are not installed (${dependency} is missing); run: npm install`;
  }
  const version = versionIn(__dirname);
  const other = Object.keys(manifest.dependencies || {}).find(
    (name) => name.startsWith('@store-gateway/') && versionIn(folderOf(name)) !== version,
  );
  if (other !== undefined) {
    // The gateway brings another copy of its own, and neither knows the other's errors, logger or keys to redact.
    return `${other} ${versionIn(folderOf(other))} is installed beside @store-gateway/gateway ${version}; give all packages of @store-gateway one version in package.json, and run: npm install`;
  }
  // A project may have its schema elsewhere.
  if (!isThere(SCHEMA)) {
    return undefined;
  }
  if (isRunByItself && hasPackage('prisma') && !isUpToDate()) {
    return generate();
  }
  if (isThere(GENERATED)) {
    return undefined;
  }
  return hasPackage('prisma')
    ? 'its database client, prisma/generated, is missing; run: npx gateway-preflight'
    : 'its database client, prisma/generated, is missing; run, before development dependencies are removed: npx gateway-preflight';
}

/** @param {string | undefined} folder of a package @returns {string} */
function versionIn(folder = root) {
  /** @type {{ version: string }} */
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- npm has checked it
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return version;
}

/** @param {string} file below the root folder */
function timeOf(file) {
  return isThere(file) ? fs.statSync(path.join(root, file)).mtimeMs : 0;
}

/** Whether the database client is newer than the schema and what generates it. */
function isUpToDate() {
  return timeOf(GENERATED) > Math.max(timeOf(SCHEMA), timeOf('node_modules/.package-lock.json'));
}

/** Takes some seconds, of which a developer hears. */
function generate() {
  process.stderr.write(`${manifest.name}: generating the database client from ${SCHEMA}\n`);
  // oxlint-disable-next-line node/no-process-env -- it is handed on
  const env = process.env;
  const PATH = [path.join(root, 'node_modules/.bin'), env['PATH']].join(path.delimiter);
  const { status, stdout, stderr } = spawnSync('prisma', ['generate'], {
    cwd: root,
    encoding: 'utf8',
    env: Object.assign({}, env, { PATH }),
  });
  return status === 0
    ? undefined
    : `prisma generate has failed:\n${(stdout || '') + (stderr || '')}`;
}

const fault = findFault();
if (fault !== undefined) {
  process.stderr.write(`${manifest.name}: ${fault}\n`);
  process.exit(1);
}
if (!isRunByItself) {
  // Compiling what a start loads, and stripping its types, is a third of the start's work: kept from the one before. It
  // has to be switched on before the rest is loaded. With the packages, where who may write could change the program
  // anyway (in a folder for all, such as the default, others could plant code), and `npm ci` empties it. Where it can't be
  // written the program is compiled each time.
  enableCompileCache(path.join(root, 'node_modules/.cache', manifest.name));
}
