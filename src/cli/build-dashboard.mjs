// Builds the dashboard into dist/dashboard: hashed files with Brotli and gzip variants, and the pages of the documentation.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import '../config/production-build.mjs';
import { buildGuide } from './build-guide.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const output = join(root, 'dist', 'dashboard');
/** Smaller files fit into one packet uncompressed. */
const MIN_BYTES = 1024;

await build({
  configFile: false,
  root: join(root, 'src', 'dashboard'),
  logLevel: 'error',
  plugins: [react(), tailwind()],
  // The server replaces it with a new nonce in each page.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: output,
    emptyOutDir: true,
    // For test coverage. `hidden` omits the reference from the files.
    sourcemap: process.argv.includes('--source-maps') ? 'hidden' : false,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The page's content security policy does not allow data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1024,
    license: { fileName: 'licenses.md' },
  },
});
await compress(join(output, 'assets'));
await buildGuide(root, join(output, 'guide'));

async function compress(folder) {
  await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      const bytes = await readFile(path);
      if (bytes.length < MIN_BYTES || !/\.(js|css|svg)$/.test(name)) return;
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
      await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}
