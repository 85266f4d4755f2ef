import { defineConfig } from 'prisma/config';

// `prisma generate` never runs the native schema engine, but insists on finding one, and the one it
// would download is not on npm. Any executable satisfies it.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
process.env['CHECKPOINT_DISABLE'] ??= '1';

export default defineConfig({ schema: 'prisma/schema.prisma' });
