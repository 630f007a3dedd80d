import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BadArguments } from '../errors/bad-arguments.ts';
import { adopt, type AdoptArguments } from './adopt.ts';

const usage = `Usage:
  sluice journal adopt <folder> [--dry-run] [--wait <seconds>] [--include-expired]

Stores the usage that an instance left in its data folder when it ended for good: in the database, budgets and the log of contents
that were not stored. Requests that it had not settled become INTERRUPTED, with estimated usage. Its idempotency keys end in Redis.
Its journals are removed afterwards.

<folder> is the data folder of the instance (SLUICE_DATA_DIR), or a copy of it. It is refused while a process uses it. The command can
be interrupted and run again: each request is stored once, also if the instance had stored it itself. Running servers can remain.

Requests from a time of which usage of their account was removed by retention are not stored, because they may have been counted
before. They are written to refused-usage.jsonl in the folder.

  --dry-run          count what is there; change nothing
  --wait <seconds>   wait for a process that uses the folder to end (0 by default)
  --include-expired  store requests from a time of which usage was removed, too: only if the folder was never stored before

Exit codes: 0 all usage was stored; 1 it was not, or a record was corrupt; 2 the arguments are wrong.

Examples:
  sluice journal adopt /mnt/gateway-2 --dry-run
  sluice journal adopt /mnt/gateway-2 --wait 300
`;

const MAX_WAIT_SECONDS = 86_400;

/** @returns the exit code */
export async function journalCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      wait: { type: 'string', default: '0' },
      'include-expired': { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length === 0) {
    (values.help ? process.stdout : process.stderr).write(usage);
    return values.help ? 0 : 2;
  }
  try {
    const { wait, 'dry-run': isDryRun, 'include-expired': includesExpired } = values;
    return await adopt({ ...readArguments(positionals, wait), isDryRun, includesExpired });
  } catch (error) {
    if (!(error instanceof BadArguments)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

/** @throws BadArguments */
function readArguments(
  [action, folder, ...more]: readonly string[],
  wait: string,
): Pick<AdoptArguments, 'folder' | 'waitMs'> {
  if (action !== 'adopt' || more.length > 0) throw new BadArguments(usage.trimEnd());
  if (folder === undefined) throw new BadArguments('Specify the data folder: sluice journal adopt <folder>.');
  const waitSeconds = Number(wait);
  if (!/^\d+$/.test(wait) || waitSeconds > MAX_WAIT_SECONDS)
    throw new BadArguments(`--wait must be a number of seconds from 0 to ${MAX_WAIT_SECONDS}.`);
  const path = resolve(folder);
  if (!existsSync(path) || !statSync(path).isDirectory()) throw new BadArguments(`${path} is not a folder.`);
  return { folder: path, waitMs: waitSeconds * 1_000 };
}
