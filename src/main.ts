import 'reflect-metadata';
import { loadConfiguration } from './config/configuration.ts';
import { ConfigurationError } from './config/environment.ts';
import { FolderInUseError } from './database/embedded/folder-lock.ts';
import { knownProviders } from './providers/registry.ts';
import { serve } from './serve.ts';
import { welcome } from './welcome.ts';

/** Starts the process; ends it in order when told to stop. */
async function main(): Promise<void> {
  const configuration = await loadConfiguration(knownProviders);
  const server = await serve(configuration);
  process.stdout.write(welcome(server.url, server.firstOwner, configuration.environment.SLUICE_SANDBOX));
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    server.log.info({ signal }, 'stopping: open requests may end first');
    server.stop().then(
      () => process.exit(0),
      (err: unknown) => {
        server.log.fatal({ err }, 'the server could not stop in order');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

main().catch((error: unknown) => {
  // Faults that the operator can mend are told plainly; anything else with its stack.
  const plain = error instanceof ConfigurationError || error instanceof FolderInUseError || (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE');
  const text = error instanceof Error ? (plain ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`, () => process.exit(1));
});
