/** Which of the workers a process is. */
export interface WorkerPlace {
  /** From 0. */
  readonly slot: number;
  /** How many workers there are. */
  readonly count: number;
}

/** What a worker reports once it serves. */
export interface WorkerStart {
  /** For the terminal. Only that of the first worker is printed. */
  readonly welcome: string;
}
