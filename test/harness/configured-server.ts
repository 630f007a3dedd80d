import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type ServerProcess } from './server-process.ts';

/** Starts a server with this `sluice.yaml`, in which `FOLDER` is a folder that holds these files. */
export async function startConfigured(
  yaml: string,
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, yaml.replaceAll('FOLDER', folder));
  return withFolder(await startServer({ ...environment, SLUICE_CONFIG: config }), folder);
}

/** A server that removes this folder with what it kept itself. */
function withFolder(server: ServerProcess, folder: string): ServerProcess {
  return {
    ...server,
    restart: async () => withFolder(await server.restart(), folder),
    dispose: async () => {
      await server.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
