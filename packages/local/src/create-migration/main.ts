#!/usr/bin/env node
import { runCommand } from '@store-gateway/ops/command-line';
import { createMigration } from './create-migration.ts';

await runCommand(createMigration);
