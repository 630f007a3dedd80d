import 'reflect-metadata';
import { exitOnUncaught } from './cli/errors/exit-on-uncaught.ts';
import { serveCommand } from './cli/serve.command.ts';
import { describeError } from './cli/errors/describe-error.ts';

exitOnUncaught();
serveCommand().then(
  (code) => process.exit(code),
  (error: unknown) => process.stderr.write(`${describeError(error)}\n`, () => process.exit(1)),
);
