import type { Logger } from 'pino';

/** The logger methods that storage uses. */
export type StorageLog = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
