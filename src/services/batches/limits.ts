const DAY_MS = 86_400_000;
const MEGABYTE = 1024 * 1024;

/** How long a batch may run. */
export const WINDOW_MS = DAY_MS;
/** How long a batch and its results are kept. */
export const RETENTION_MS = 30 * DAY_MS;
/** Of the requests of a message batch. Source: platform.claude.com/docs/en/build-with-claude/batch-processing. */
export const MAX_MESSAGE_BATCH_BYTES = 256 * MEGABYTE;
/** Of an input file. Source: OpenAI's guide to its Batch API. */
export const MAX_FILE_BATCH_BYTES = 200 * MEGABYTE;
