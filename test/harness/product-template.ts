import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchServer } from './launch-server.ts';

/** The master key of every product in tests: one template serves all, so all open what it sealed. */
export const TEST_SECRET = 'a master key for tests, which is long enough';

/** What the first start of a product made and printed. */
export interface FirstOwner {
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'sluice', 'product-template');
/** What the content of a new data folder depends on. */
const sources = [
  'package-lock.json',
  'migrations',
  'src/database',
  'src/jobs',
  'src/services/accounts',
  'src/services/identity/first-owner.ts',
  'src/services/keys',
  'test/harness/launch-server.ts',
  'test/harness/product-template.ts',
];

/**
 * A data folder as the first start of the product leaves it: migrated, with its first owner and key. Kept between
 * runs, so that a run need not wait for it; made anew when something that it depends on changed.
 */
export async function embeddedTemplate(): Promise<{ dataDir: string; owner: FirstOwner }> {
  const folder = join(cache, fingerprint());
  const owner = join(folder, 'owner.json');
  if (!existsSync(owner)) {
    mkdirSync(cache, { recursive: true });
    // Those of other builds. A run beside this one may be making the same.
    for (const name of readdirSync(cache).filter((name) => !name.startsWith(basename(folder))))
      rmSync(join(cache, name), { recursive: true, force: true });
    const draft = mkdtempSync(join(tmpdir(), 'sluice-template-'));
    const made = await firstStart(join(draft, 'data'), {});
    writeFileSync(join(draft, 'owner.json'), JSON.stringify(made));
    // Renamed into place, so that a run that is stopped leaves no half of one.
    const beside = mkdtempSync(`${folder}-`);
    cpSync(draft, beside, { recursive: true });
    try {
      renameSync(beside, folder);
    } catch (error) {
      if (!existsSync(owner)) throw error;
      rmSync(beside, { recursive: true, force: true });
    }
    rmSync(draft, { recursive: true, force: true });
  }
  return { dataDir: join(folder, 'data'), owner: JSON.parse(readFileSync(owner, 'utf8')) };
}

/** Starts and stops a product where there was none. */
export async function firstStart(dataDir: string, env: Readonly<Record<string, string>>): Promise<FirstOwner> {
  mkdirSync(dataDir, { recursive: true });
  const { apiKey, email, password, end } = await launchServer(dataDir, { SLUICE_SECRET: TEST_SECRET, ...env }, null);
  await end('SIGTERM');
  return { apiKey, email, password };
}

function fingerprint(): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of sources.flatMap((source) => filesUnder(join(root, source))))
    hash.update(`${relative(root, path)}\0`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

function filesUnder(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch {
    return [path];
  }
}
