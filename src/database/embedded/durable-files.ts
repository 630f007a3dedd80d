import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Init = NodeFS['init'];

/** Emscripten's file system on that of Node, as far as it is used here. */
interface Nodefs {
  readonly stream_ops: { fsync?: (stream: OpenFile) => number };
  realPath(node: unknown): string;
  /** Reports an error of the system to PostgreSQL. */
  tryFSOperation(operation: () => void): void;
}

interface OpenFile {
  readonly node: unknown;
  /** The descriptor of a file; a folder has none. */
  readonly nfd?: number;
}

/** Writes files to disk when PostgreSQL asks for it. PGlite's own files ignore that. */
export class DurableFiles extends NodeFS {
  override async init(...[pglite, options]: Parameters<Init>): ReturnType<Init> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const { preRun = [] } = emscriptenOpts;
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, (module) => addSync(module.FS.filesystems.NODEFS)] },
    };
  }
}

function addSync(files: unknown): void {
  if (!isNodefs(files))
    throw new Error('The embedded database does not have the file system that this version expects.');
  files.stream_ops.fsync = ({ node, nfd }) => {
    files.tryFSOperation(() => (nfd === undefined ? syncFolder(files.realPath(node)) : fdatasyncSync(nfd)));
    return 0;
  };
}

function isNodefs(files: unknown): files is Nodefs {
  return (
    typeof files === 'object' &&
    files !== null &&
    'stream_ops' in files &&
    typeof files.stream_ops === 'object' &&
    'realPath' in files &&
    typeof files.realPath === 'function' &&
    'tryFSOperation' in files &&
    typeof files.tryFSOperation === 'function'
  );
}

/** Makes the names in a folder durable. Windows does so itself, and opens no folder. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
