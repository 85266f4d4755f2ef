#!/usr/bin/env node
import { runCommand } from '@store-gateway/command-line/run-command';
import { askFor } from './ask.ts';
import { createCommand } from './create.ts';

await runCommand(createCommand(process.cwd(), process.stdin.isTTY ? askFor : undefined));
