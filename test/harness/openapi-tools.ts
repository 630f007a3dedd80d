import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The generator of types; null where the packages of `test/openapi` are not installed. It needs another TypeScript than Sluice. */
export const openapiTypescript = orNull(
  join(root, 'test', 'openapi', 'node_modules', 'openapi-typescript', 'bin', 'cli.js'),
);

/** A program of the Python environment that `SLUICE_TEST_PYTHON` is in; null where that has none. */
export function pythonTool(name: string): string | null {
  const { SLUICE_TEST_PYTHON: python } = process.env;
  return python === undefined ? null : orNull(join(dirname(python), name));
}

function orNull(path: string): string | null {
  return existsSync(path) ? path : null;
}
