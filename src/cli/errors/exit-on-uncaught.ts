import { writeSync } from 'node:fs';
import { describeError } from './describe-error.ts';

const STDERR = 2;

/** Node prints all members of an unhandled error. Those of database errors contain rows and parameters. */
export function exitOnUncaught(): void {
  process.on('uncaughtException', (error) => {
    writeSync(STDERR, `${describeError(error)}\n`);
    process.exit(1);
  });
}
