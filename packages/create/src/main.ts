#!/usr/bin/env node
import { runCommand } from '@store-gateway/ops/command-line';
import { askOn, createCommand } from './create.ts';

// Questions go to stderr, because stdout is for the command's result.
const ask = process.stdin.isTTY ? askOn(process.stdin, process.stderr) : undefined;
await runCommand(createCommand(process.cwd(), ask));
