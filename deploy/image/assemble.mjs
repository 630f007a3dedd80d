// Makes the layers of the Dockerfile over its base, without a container engine, and measures them: the same build context,
// the same scripts, and the packages that the checkout has installed from the same lock file.
// Usage: node deploy/image/assemble.mjs <folder>, which then contains `app` as the image does.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyBuildContext } from './build-context.mjs';
import { copyPackages } from './copy-packages.mjs';

/** Of all layers over the base, compressed. */
const MAX_COMPRESSED_BYTES = 120e6;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const [, , folder] = process.argv;
if (folder === undefined) {
  process.stderr.write('Usage: node deploy/image/assemble.mjs <folder>\n');
  process.exit(2);
}
const app = join(resolve(folder), 'app');
mkdirSync(app, { recursive: true });
const context = mkdtempSync(join(tmpdir(), 'sluice-context-'));
try {
  copyBuildContext(root, context);
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(context, name), join(app, name));
  copyPackages(root, app);
  run('sh', [join(context, 'deploy/image/trim-packages.sh'), app]);
  // The image has only what the last stage copies.
  rmSync(join(app, 'package-lock.json'));
  const packages = compressedSize('node_modules', 'sbom.cdx.json');
  // Only what is out of date is built: what the checkout has built of the same sources is current.
  if (existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), join(context, 'dist'), { recursive: true });
  run(process.execPath, [join(context, 'src/cli/prepare.mjs')], context);
  const product = join(context, 'product');
  run('sh', [join(context, 'deploy/image/copy-product.sh'), context, product]);
  cpSync(product, app, { recursive: true });
  const server = compressedSize('dist', 'package.json', 'LICENSE', 'healthcheck.mjs');
  const total = packages + server;
  process.stdout.write(
    `compressed: packages ${megabytes(packages)}, server and dashboard ${megabytes(server)}, total ${megabytes(total)}\n`,
  );
  if (total > MAX_COMPRESSED_BYTES) {
    process.stderr.write(`The layers exceed ${megabytes(MAX_COMPRESSED_BYTES)}.\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(context, { recursive: true, force: true });
}

/** As gzip at the level that container engines use. */
function compressedSize(...paths) {
  const size = execFileSync('sh', ['-c', 'tar -cf - "$@" | gzip -6 | wc -c', 'sh', ...paths], { cwd: app });
  return Number(size.toString());
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function run(command, args, cwd = app) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
