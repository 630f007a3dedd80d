import { loadConfiguration } from '../config/configuration.ts';
import { collector } from '../gateway/collector.ts';
import { knownProviders, providerAliases } from '../providers/registry.ts';
import { serve } from '../composition/serve.ts';
import { welcome } from '../composition/welcome.ts';
import { followLoad, tuneMemory } from './tune-memory.ts';

const SAME_STOP_MS = 1_000;
/** What is written is its owner's alone, whoever writes it: the embedded database asks for no mode. */
const OWNER_ONLY_UMASK = 0o077;

/** Serves until told to stop. @returns the exit code */
export async function serveCommand(): Promise<number> {
  process.umask(OWNER_ONLY_UMASK);
  tuneMemory();
  const configuration = await loadConfiguration({ ids: knownProviders, aliases: providerAliases.keys() });
  const server = await serve(configuration);
  // What only the start needed is a tenth of the memory of a server at rest, and V8 would keep it until there is much more.
  collector()({ type: 'major', flavor: 'last-resort' });
  process.stdout.write(welcome(server.url, server.firstOwner, configuration.environment.SLUICE_SANDBOX));
  const followed = followLoad(() => server.openRequests);
  const signal = await new Promise<string>((told) => {
    let stopping: number | null = null;
    const stop = (name: string): void => {
      stopping ??= performance.now();
      told(name);
      // One stop may come as several signals: npm passes on what the terminal has sent to all. One that comes later means it.
      if (performance.now() - stopping > SAME_STOP_MS) process.exit(1);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
  server.log.info({ signal }, 'stopping: open requests may end first');
  await server.stop();
  clearInterval(followed);
  return 0;
}
