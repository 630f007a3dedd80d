import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const pageForm = z.object({ title: z.string(), body: z.string() });
export type GuidePage = z.infer<typeof pageForm>;

/** Names that lead out of the folder do not match. */
const pageName = /^[a-z-]+(?:\/[a-z-]+)?$/;

/** A page of the documentation as the build rendered it; null if there is none. */
export async function readGuidePage(folder: string, name: string): Promise<GuidePage | null> {
  if (!pageName.test(name)) return null;
  let text: string;
  try {
    text = await readFile(join(folder, `${name}.json`), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return pageForm.parse(JSON.parse(text));
}
