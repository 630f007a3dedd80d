import { writeSync } from 'node:fs';
import { describeError } from './describe-error.ts';

const STDERR = 2;

/** Of an error that nothing handles, Node prints all members: a database tells there what rows and parameters hold. */
export function exitOnUncaught(): void {
  process.on('uncaughtException', (error) => {
    writeSync(STDERR, `${describeError(error)}\n`);
    process.exit(1);
  });
}
