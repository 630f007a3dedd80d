const LONGEST_TURN_MS = 8;

/** To be awaited now and then in long work: lets others have their turn where some time has passed since the last. */
export function takeTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < LONGEST_TURN_MS) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now();
        resolve();
      }),
    );
  };
}
