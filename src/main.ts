import 'reflect-metadata';
import { serveCommand } from './cli/serve.command.ts';
import { ConfigurationError } from './config/environment.ts';
import { FolderInUseError } from './database/embedded/folder-lock.ts';

serveCommand().then(
  (code) => process.exit(code),
  (error: unknown) => {
    // Faults that the operator can mend are told plainly; anything else with its stack.
    const plain =
      error instanceof ConfigurationError ||
      error instanceof FolderInUseError ||
      (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE');
    const text = error instanceof Error ? (plain ? error.message : (error.stack ?? error.message)) : String(error);
    process.stderr.write(`${text}\n`, () => process.exit(1));
  },
);
