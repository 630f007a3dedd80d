import { createWriteStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeFault } from '../../../src/rest/files/upload-space.ts';

describe('a file error of an upload', () => {
  it.each([
    ['a full disk', '/dev/full', { status: 503, code: 'uploads_full', retryAfterMs: 5_000 }],
    ['a folder that is gone', '/nowhere/at/all', { status: 500, code: 'internal_error' }],
  ])('of %s is mapped to its error', async (_name, path, told) => {
    const error = await new Promise<Error>((resolve) =>
      createWriteStream(path).once('error', resolve).end('some bytes'),
    );
    const fault = writeFault(error);
    expect(fault).toMatchObject(told);
    expect(fault.cause).toBe(error);
  });
});
