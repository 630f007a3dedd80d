import { loadConfiguration } from '../config/configuration.ts';
import { knownProviders } from '../providers/registry.ts';
import { serve } from '../serve.ts';
import { welcome } from '../welcome.ts';

/** Serves until told to stop. @returns the exit code */
export async function serveCommand(): Promise<number> {
  const configuration = await loadConfiguration(knownProviders);
  const server = await serve(configuration);
  process.stdout.write(welcome(server.url, server.firstOwner, configuration.environment.SLUICE_SANDBOX));
  const signal = await new Promise<string>((told) => process.once('SIGTERM', told).once('SIGINT', told));
  server.log.info({ signal }, 'stopping: open requests may end first');
  await server.stop();
  return 0;
}
