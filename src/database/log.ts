import type { Logger } from 'pino';

/** The part of the process's log that storage writes to. */
export type StorageLog = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
