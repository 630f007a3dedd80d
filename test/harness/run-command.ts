import { vi } from 'vitest';
import { describeBadArgument } from '../../src/cli/errors/describe-bad-argument.ts';
import { describeError } from '../../src/cli/errors/describe-error.ts';
import type { OpenDatabaseOptions } from '../../src/database/database.ts';

export interface CommandResult {
  /** Its exit code. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Command = (args: readonly string[]) => Promise<number>;

/** Where a command that must be refused before it opens a database would find none. */
export const noDatabase: OpenDatabaseOptions = { dataDir: '/proc/no-database' };

/**
 * Runs a command of the CLI in this process, on that database, with nothing else in its environment but `variables`. What
 * `sluice.ts` does about faults is done here too.
 */
export async function runCommand(
  name: string,
  command: Command,
  { dataDir, url }: OpenDatabaseOptions,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const printed = { out: '', err: '' };
  const capture = (stream: NodeJS.WriteStream, into: keyof typeof printed) =>
    vi.spyOn(stream, 'write').mockImplementation((text, ...rest) => {
      printed[into] += typeof text === 'string' ? text : Buffer.from(text).toString();
      rest.findLast((each) => typeof each === 'function')?.();
      return true;
    });
  const environment = process.env;
  const ofDatabase = url === undefined ? {} : { DATABASE_URL: url, SLUICE_SECRET: SECRET };
  process.env = { SLUICE_DATA_DIR: dataDir, ...ofDatabase, ...variables };
  const captured = [capture(process.stdout, 'out'), capture(process.stderr, 'err')];
  try {
    return { code: await command(args), ...printed };
  } catch (error) {
    const badArgument = describeBadArgument(name, error);
    const err = `${printed.err}${badArgument ?? describeError(error)}\n`;
    return { code: badArgument === null ? 1 : 2, out: printed.out, err };
  } finally {
    for (const each of captured) each.mockRestore();
    process.env = environment;
  }
}

const SECRET = 'a master key for tests, which is long enough';
