import { cpSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What no build context needs to be searched for. */
const SKIPPED = new Set(['.git', 'node_modules', 'dist']);

/**
 * Copies the files that a container engine would send to the build, and links the installed packages in place of those that
 * the build installs.
 */
export function copyBuildContext(root, to) {
  const isIncluded = parseIgnoreFile(readFileSync(join(root, '.dockerignore'), 'utf8'));
  for (const path of filesOf(root)) if (isIncluded(path)) cpSync(join(root, path), join(to, path));
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'));
}

/** @returns whether a path is part of the context: the last pattern that matches it, or a folder above it, decides */
function parseIgnoreFile(text) {
  const rules = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isIncluding: line.startsWith('!'), pattern: toRegExp(line.replace(/^!/, '')) }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.isIncluding ?? true;
}

function toRegExp(pattern) {
  const source = pattern
    .split('**/')
    .map((part) => part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*'))
    .join('(?:.+/)?');
  return new RegExp(`^${source}(?:/.*)?$`);
}

function filesOf(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (SKIPPED.has(entry.name)) return [];
    if (entry.isDirectory()) return filesOf(root, path);
    return entry.isFile() ? [path] : [];
  });
}
