export interface WorkerStart {
  /** PGlite's own folder. */
  readonly databaseDir: string;
  readonly socketPath: string;
}

export type WorkerMessage =
  | { readonly type: 'ready' }
  /** A client connected. */
  | { readonly type: 'connected' }
  | { readonly type: 'failed'; readonly code: string | null; readonly message: string };

export type WorkerCommand = { readonly type: 'open'; readonly start: WorkerStart } | { readonly type: 'close' };
