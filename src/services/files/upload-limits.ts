/** OpenAI's limits. */
export const MAX_PART_BYTES = 64 * 1024 * 1024;
export const MAX_UPLOAD_BYTES = 8 * 1024 * 1024 * 1024;
/** Bounds the rows of an upload. 8 GB have 128 of the largest parts. */
export const MAX_PARTS = 10_000;
