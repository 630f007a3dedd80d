import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before any other module is loaded. Where the folder cannot be written, modules are compiled at each start.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sluice/compiled', import.meta.url)));
await import('./cli/serve/start-server.ts');
