import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { serveCommand } from './cli/serve.command.ts';
import { ConfigurationError } from './config/environment.ts';
import { FolderInUseError } from './database/embedded/folder-lock.ts';

// What a request leaves behind is all garbage when it ends. After a burst of long streams V8 concludes that it is not, and
// allocates it as old from then on: each dead request keeps what it refers to until a full collection, at a third of all CPU.
setFlagsFromString('--no-allocation-site-pretenuring');
// Young garbage is little then, and threads that wait for each other to collect it cost more than they save.
setFlagsFromString('--no-parallel-scavenge');

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
