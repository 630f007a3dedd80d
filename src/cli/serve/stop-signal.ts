const SAME_STOP_MS = 1_000;

/**
 * Resolves with the first signal that ends this process.
 * @param force called with a later signal, which requests an immediate exit
 */
export function stopSignal(force: (signal: NodeJS.Signals) => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let stopping: number | null = null;
    const stop = (signal: NodeJS.Signals): void => {
      stopping ??= performance.now();
      resolve(signal);
      // One stop may arrive as several signals: npm forwards the signal that the terminal sends to the process group, and so does
      // a supervisor.
      if (performance.now() - stopping > SAME_STOP_MS) force(signal);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
}
