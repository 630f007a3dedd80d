import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds what is out of date.
 * @param progress what is built is written there when it begins: a build takes long enough to be taken for a hang
 */
export async function buildProduct(checkout = repository, progress: Writable = process.stderr): Promise<void> {
  const child = spawn(process.execPath, [join(checkout, 'src', 'cli', 'prepare.mjs')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    progress.write(text);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The product could not be built:\n${printed}`);
}
