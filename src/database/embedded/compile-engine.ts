import { readFile } from 'node:fs/promises';

/** The part of the standard global that Node's types lack. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledEngine> };

/** A `WebAssembly.Module`. It is independent of any database. */
export type CompiledEngine = object;

export async function compileEngine(): Promise<CompiledEngine> {
  return WebAssembly.compile(await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))));
}
