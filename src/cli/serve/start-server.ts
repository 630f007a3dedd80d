import 'reflect-metadata';
import { exitOnUncaught } from '../errors/exit-on-uncaught.ts';
import { serveCommand } from '../serve.command.ts';
import { describeError } from '../errors/describe-error.ts';

exitOnUncaught();
serveCommand().then(
  (code) => process.exit(code),
  (error: unknown) => process.stderr.write(`${describeError(error)}\n`, () => process.exit(1)),
);
