#!/usr/bin/env node
import { runCommand } from '@store-gateway/command-line/run-command';
import { createMigration } from './create-migration.ts';

await runCommand(createMigration);
