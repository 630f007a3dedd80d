import { PGlite } from '@electric-sql/pglite';

/**
 * The engine clears all shared memory when it starts, so that its size counts at rest. It has one session, and the system
 * caches the files beneath it.
 */
const settings: Readonly<Record<string, string>> = {
  shared_buffers: '16MB',
  // A thirty-second of the buffers if absent: transactions of the journal would write it out in parts.
  wal_buffers: '1MB',
};

/** Arguments take precedence over the file in the database's folder: existing folders are opened with them, too. */
export const engineArguments: string[] = [
  ...PGlite.defaultStartParams,
  ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
