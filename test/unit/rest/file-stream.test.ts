import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileStream } from '../../../src/rest/files/file-stream.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-file-stream-'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('a stream of a file that was deleted', () => {
  it('does not end the process if nobody reads it', async () => {
    const stream = new FileStream(join(folder, 'deleted'));
    await new Promise((closed) => stream.on('close', closed));
    expect(stream.errored).toMatchObject({ code: 'ENOENT' });
  });

  it('fails for its reader', async () => {
    const stream = new FileStream(join(folder, 'deleted'));
    await expect(stream.toArray()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
