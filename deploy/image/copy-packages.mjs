import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Copies the packages that the server needs at run time from a checkout: those that `npm ci --omit=dev` installs, at the versions
 * of the lock file.
 */
export function copyPackages(root, to) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, { dev, optional, version }] of Object.entries(packages)) {
    if (path === '' || dev) continue;
    const installed = versionIn(join(root, path));
    // Of another platform.
    if (installed === null && optional) continue;
    if (installed !== version) throw new Error(`${path} is not installed at version ${version}. Run \`npm ci\`.`);
    // Packages within a package are copied with it.
    if (path.lastIndexOf('node_modules/') === 0) cpSync(join(root, path), join(to, path), { recursive: true });
  }
}

function versionIn(folder) {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : null;
}
