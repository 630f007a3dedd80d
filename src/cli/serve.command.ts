import { loadConfiguration } from '../config/configuration.ts';
import { loadEngine } from '../database/embedded/engine-thread.ts';
import { knownProviders, providerAliases } from '../providers/registry.ts';
import { tuneMemory } from './tune-memory.ts';

/** Files are readable by their owner only. The embedded database sets no mode of its own. */
const OWNER_ONLY_UMASK = 0o077;

/** Serves until a signal arrives: by this process alone, as the supervisor of workers, or as one of them. @returns the exit code */
export async function serveCommand(): Promise<number> {
  process.umask(OWNER_ONLY_UMASK);
  tuneMemory();
  const configuration = await loadConfiguration({ ids: knownProviders, aliases: providerAliases.keys() });
  const { DATABASE_URL: url, WORKERS: workers } = configuration.environment;
  if (url === undefined && workers === 1) loadEngine();
  // Loaded by those that serve: a supervisor needs little memory.
  const serving = () => import('./serve/serve-process.ts');
  if (workers === 1) return (await serving()).serveProcess(configuration, null);
  const { joinSupervisor } = await import('../workers/supervisor-link.ts');
  const supervisor = await joinSupervisor();
  if (supervisor !== null) return (await serving()).serveProcess(configuration, supervisor);
  return (await import('./serve/supervise.ts')).supervise(configuration);
}
