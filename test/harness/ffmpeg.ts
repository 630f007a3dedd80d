import { describe, it } from 'vitest';
import { hasFfmpeg, mayBeMissing } from './tool-paths.ts';

/**
 * Tests that encode or decode with FFmpeg. Under CI they fail without it instead of being skipped.
 * The function of a skipped suite is called to collect its tests: FFmpeg belongs into their hooks.
 */
export const describeWithFfmpeg = describe.skipIf(!hasFfmpeg && mayBeMissing);
export const itWithFfmpeg = it.skipIf(!hasFfmpeg && mayBeMissing);
