export interface WorkerStart {
  /** PGlite's own folder. */
  readonly databaseDir: string;
  readonly socketPath: string;
}

export type WorkerMessage =
  | { readonly type: 'ready' }
  /** The database was created, and the thread ends. */
  | { readonly type: 'created' }
  /** A client connected. */
  | { readonly type: 'connected' }
  | { readonly type: 'failed'; readonly code: string | null; readonly message: string };

/** A thread receives one `create`, or one `open` and then one `close`. */
export type WorkerCommand =
  | { readonly type: 'create' | 'open'; readonly start: WorkerStart }
  | { readonly type: 'close' };
