import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** One import by a source file; `from` is its path from `src`. */
export interface Import {
  readonly from: string;
  readonly kind: 'file' | 'package';
  /** A path from `src`, or a package's name as it is written. */
  readonly to: string;
  /** Erased when the code runs: it binds two parts by their types alone. */
  readonly typeOnly: boolean;
}

const statement = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const dynamic = /\b(?:import|require)\(\s*['"`]([^'"`]+)['"`]\s*[,)]/g;

/** Every import of a source text, but of Node's own modules. */
export function importsOf(file: string, text: string): Import[] {
  return [
    ...[...text.matchAll(statement)].map(([, type, specifier = '']) => ({ specifier, typeOnly: type !== undefined })),
    ...[...text.matchAll(dynamic)].map(([, specifier = '']) => ({ specifier, typeOnly: false })),
  ]
    .filter(({ specifier }) => !specifier.startsWith('node:'))
    .map(({ specifier, typeOnly }) =>
      specifier.startsWith('.')
        ? { from: file, kind: 'file', to: relative('/', resolve('/', dirname(file), specifier)), typeOnly }
        : { from: file, kind: 'package', to: specifier, typeOnly },
    );
}

export interface SourceFile {
  /** From `src`. */
  readonly path: string;
  readonly text: string;
}

export function sourceFiles(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
