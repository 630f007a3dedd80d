import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** One import of one source file by another; paths from `src`. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** Erased when the code runs: it binds two parts by their types alone. */
  readonly typeOnly: boolean;
}

const statement = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"](\.[^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g;

/** Every relative import of a source text. */
export function importsOf(file: string, text: string): Import[] {
  const target = (specifier: string): string => relative('/', resolve('/', dirname(file), specifier));
  return [
    ...[...text.matchAll(statement)].map((match): Import => ({
      from: file,
      to: target(match[2] ?? ''),
      typeOnly: match[1] !== undefined,
    })),
    ...[...text.matchAll(dynamic)].map((match): Import => ({
      from: file,
      to: target(match[1] ?? ''),
      typeOnly: false,
    })),
  ];
}

export interface SourceFile {
  /** From `src`. */
  readonly path: string;
  readonly text: string;
}

export function sourceFiles(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
