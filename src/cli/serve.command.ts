import { loadConfiguration } from '../config/configuration.ts';
import { collector } from '../gateway/metrics/collector.ts';
import { knownProviders, providerAliases } from '../providers/registry.ts';
import { serve } from '../composition/serve.ts';
import { welcome } from '../composition/welcome.ts';
import { followLoad, tuneMemory } from './tune-memory.ts';

const SAME_STOP_MS = 1_000;
/** Files are readable by their owner only. The embedded database sets no mode of its own. */
const OWNER_ONLY_UMASK = 0o077;

/** Serves until a signal arrives. @returns the exit code */
export async function serveCommand(): Promise<number> {
  process.umask(OWNER_ONLY_UMASK);
  tuneMemory();
  const configuration = await loadConfiguration({ ids: knownProviders, aliases: providerAliases.keys() });
  const server = await serve(configuration);
  // Startup garbage is a tenth of the memory of an idle server, and V8 would not collect it for a long time.
  collector()({ type: 'major', flavor: 'last-resort' });
  process.stdout.write(welcome(server.url, server.firstOwner, configuration.environment.SLUICE_SANDBOX));
  const followed = followLoad(() => server.openRequests);
  const signal = await new Promise<string>((resolve) => {
    let stopping: number | null = null;
    const stop = (name: string): void => {
      stopping ??= performance.now();
      resolve(name);
      // One stop may arrive as several signals: npm forwards the signal that the terminal sends to the process group.
      // A later signal requests an immediate exit.
      if (performance.now() - stopping > SAME_STOP_MS) process.exit(1);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
  server.log.info({ signal }, `draining: ${server.openRequests} requests open`);
  await server.stop();
  clearInterval(followed);
  return 0;
}
