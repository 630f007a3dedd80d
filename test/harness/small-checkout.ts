import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface SmallCheckout {
  readonly folder: string;
  write(path: string, text: string): void;
  remove(): void;
}

/** In place of the compiler, which is called for the server and for the migrations. */
const compiler = `
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
if (process.argv.at(-1).includes('migrations'))
  for (const name of readdirSync('migrations')) cpSync('migrations/' + name, 'dist/migrations/' + name.replace('.ts', '.js'));
else {
  mkdirSync('dist/catalogue', { recursive: true });
  mkdirSync('dist/graphql', { recursive: true });
  mkdirSync('dist/cli/docs', { recursive: true });
  cpSync('src/main.ts', 'dist/main.js');
  cpSync('src/graphql/generate.ts', 'dist/graphql/generate.js');
  cpSync('src/cli/docs/generate.ts', 'dist/cli/docs/generate.js');
}
`;

/** What the dashboard is built from is generated. */
const dashboardBuild = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const generated = readFileSync('src/dashboard/generated/graphql.ts');
mkdirSync('dist/dashboard', { recursive: true });
writeFileSync('dist/dashboard/index.html', generated);
`;

/**
 * A checkout with the commands of this one, and next to nothing to build: what compiles and generates is played by a few lines.
 * @param main what the server does, as JavaScript
 */
export function smallCheckout(main = ''): SmallCheckout {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-checkout-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of ['package.json', 'src/cli/prepare.mjs', 'src/cli/develop.mjs'])
    cpSync(join(root, path), join(folder, path));
  const lock = JSON.stringify({ packages: { '': {} } });
  write('package-lock.json', lock);
  write('node_modules/.package-lock.json', lock);
  write('node_modules/typescript/package.json', '{ "type": "module" }');
  write('node_modules/typescript/bin/tsc', compiler);
  write('tsconfig.json', '{}');
  write('migrations/Migration1.ts', '// 1');
  write('src/main.ts', main);
  write('src/catalogue/snapshot.jsonl', '');
  write('src/cli/build-dashboard.mjs', dashboardBuild);
  write('src/cli/build-guide.mjs', '');
  write('src/cli/docs/generate.ts', '');
  write('docs/README.md', '');
  write('src/dashboard/main.tsx', '');
  write('src/graphql/generate.ts', "import { writeFileSync } from 'node:fs'; writeFileSync('schema.graphql', '');");
  write('src/rest/openapi/generate.ts', '');
  const codegen =
    "import { cpSync, mkdirSync } from 'node:fs'; mkdirSync('src/dashboard/generated'); cpSync('schema.graphql', 'src/dashboard/generated/graphql.ts');";
  write('node_modules/codegen/package.json', '{ "type": "module" }');
  write('node_modules/codegen/codegen.js', codegen);
  mkdirSync(join(folder, 'node_modules', '.bin'));
  symlinkSync(process.execPath, join(folder, 'node_modules', '.bin', 'node'));
  writeFileSync(
    join(folder, 'node_modules', '.bin', 'graphql-codegen'),
    '#!/bin/sh\nexec node node_modules/codegen/codegen.js\n',
    { mode: 0o755 },
  );
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
