import 'reflect-metadata';
import { exitOnUncaught } from './cli/exit-on-uncaught.ts';
import { serveCommand } from './cli/serve.command.ts';
import { tellFault } from './cli/tell-fault.ts';

exitOnUncaught();
serveCommand().then(
  (code) => process.exit(code),
  (error: unknown) => process.stderr.write(`${tellFault(error)}\n`, () => process.exit(1)),
);
