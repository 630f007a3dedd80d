import { decodedMappings, TraceMap } from '@jridgewell/trace-mapping';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** A place of a source and the offset of the code that was made from it. */
interface Mapped {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** Code as it ran, with where each source file is in it. Lines and columns count from 0. */
export class MappedScript {
  readonly #bySource = new Map<string, Mapped[]>();

  /** @param sourcePath resolves what the map calls a source, relative to the repository; null to leave it out */
  constructor(code: string, map: string, lineZeroShift: number, sourcePath: (source: string) => string | null) {
    const trace = new TraceMap(map);
    const lineStarts = [0];
    for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) lineStarts.push(at + 1);
    const paths = trace.sources.map((source) => (source === null ? null : sourcePath(source)));
    decodedMappings(trace).forEach((segments, generatedLine) => {
      for (const [generatedColumn, source, line, column] of segments) {
        const path = source === undefined ? null : paths[source];
        if (path === null || path === undefined || line === undefined || column === undefined) continue;
        const shift = generatedLine === 0 ? lineZeroShift : 0;
        const mapped = { line, column, offset: (lineStarts[generatedLine] ?? 0) + generatedColumn + shift };
        const known = this.#bySource.get(path);
        if (known) known.push(mapped);
        else this.#bySource.set(path, [mapped]);
      }
    });
    for (const list of this.#bySource.values())
      list.sort((a, b) => a.line - b.line || a.column - b.column || a.offset - b.offset);
  }

  get sources(): Iterable<string> {
    return this.#bySource.keys();
  }

  /** The offset of the code made from this place, or from the first after it on its line; null where there is none. */
  offsetAt(source: string, line: number, column: number): number | null {
    const list = this.#bySource.get(source) ?? [];
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = list[middle];
      if (at && (at.line < line || (at.line === line && at.column < column))) low = middle + 1;
      else high = middle;
    }
    const found = list[low];
    return found?.line === line ? found.offset : null;
  }
}

/** A module as vitest's worker ran it; null where its map is not in vitest's cache any more. */
export function vitestScript(root: string, file: string, path: string): MappedScript | null {
  const code = readFileSync(file, 'utf8');
  // The worker wraps what the map tells of: on the first line alone.
  const shift = code.indexOf('{{') + 2;
  const map = cachedMaps(root).get(code.slice(shift).replace(/\n?\}\}\s*$/, ''));
  return map === undefined ? null : new MappedScript(code, map, shift, () => relative(root, resolve(root, path)));
}

const MAP_SEPARATOR = '\n//# vitestSourceMap=';
const cachesByRoot = new Map<string, Map<string, string>>();

/** Source maps in vitest's cache of modules, by the code that they tell of: it runs that code without them. */
function cachedMaps(root: string): ReadonlyMap<string, string> {
  const known = cachesByRoot.get(root);
  if (known) return known;
  const maps = new Map<string, string>();
  const cache = join(root, 'node_modules/.vitest-cache');
  for (const name of existsSync(cache) ? readdirSync(cache) : []) {
    const text = readFileSync(join(cache, name), 'utf8');
    const at = text.lastIndexOf(MAP_SEPARATOR);
    if (at >= 0) maps.set(text.slice(0, at), text.slice(at + MAP_SEPARATOR.length));
  }
  cachesByRoot.set(root, maps);
  return maps;
}

/** A file of `dist`; null where it, or its map, is not there any more. */
export function builtScript(root: string, file: string): MappedScript | null {
  const path = join(root, file);
  if (!existsSync(path) || !existsSync(`${path}.map`)) return null;
  return new MappedScript(readFileSync(path, 'utf8'), readFileSync(`${path}.map`, 'utf8'), 0, (source) => {
    const found = relative(root, resolve(dirname(path), source));
    return found.startsWith('src/') ? found : null;
  });
}
