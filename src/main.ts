import 'reflect-metadata';
import { serveCommand } from './cli/serve.command.ts';
import { tellFault } from './cli/tell-fault.ts';

serveCommand().then(
  (code) => process.exit(code),
  (error: unknown) => process.stderr.write(`${tellFault(error)}\n`, () => process.exit(1)),
);
