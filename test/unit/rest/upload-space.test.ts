import { createWriteStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeFault } from '../../../src/rest/upload-space.ts';

describe('a fault of an upload’s file', () => {
  it.each([
    ['a full disk', '/dev/full', { status: 503, code: 'uploads_full', retryAfterMs: 5_000 }],
    ['a folder that is gone', '/nowhere/at/all', { status: 500, code: 'internal_error' }],
  ])('is told of %s as what it is', async (_name, path, told) => {
    const error = await new Promise<Error>((resolve) =>
      createWriteStream(path).once('error', resolve).end('some bytes'),
    );
    const fault = writeFault(error);
    expect(fault).toMatchObject(told);
    expect(fault.cause).toBe(error);
  });
});
