import { setFlagsFromString } from 'node:v8';
import { loadConfiguration } from '../config/configuration.ts';
import { collector } from '../gateway/collector.ts';
import { knownProviders, providerAliases } from '../providers/registry.ts';
import { serve } from '../serve.ts';
import { welcome } from '../welcome.ts';

const SAME_STOP_MS = 1_000;

/** Serves until told to stop. @returns the exit code */
export async function serveCommand(): Promise<number> {
  tuneMemory();
  const configuration = await loadConfiguration({ ids: knownProviders, aliases: providerAliases.keys() });
  const server = await serve(configuration);
  // What only the start needed is a tenth of the memory of a server at rest, and V8 would keep it until there is much more.
  collector()({ type: 'major', flavor: 'last-resort' });
  process.stdout.write(welcome(server.url, server.firstOwner, configuration.environment.SLUICE_SANDBOX));
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
  return 0;
}

/** For a process whose requests leave nothing behind when they end. */
function tuneMemory(): void {
  // After a burst of long streams V8 concludes that what requests allocate lives long, and allocates it as old from then on:
  // each dead request keeps what it refers to until a full collection, at a third of all CPU.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Young garbage is quickly collected then: threads that wait for each other to do it cost more than they save,
  setFlagsFromString('--no-parallel-scavenge');
  // and done at a third of the space for it instead of four fifths, it costs no more and takes 30 MB less.
  setFlagsFromString('--minor-gc-task-trigger=33');
  // After the collection at the start V8 would take a fifth of more memory for a reason to collect all.
  setFlagsFromString('--heap-growing-percent=100');
}
