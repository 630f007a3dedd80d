const LONGEST_PAUSE_MS = 2_000;

/**
 * How each of Redis' clients connects. A host that is gone without a word is found out by asking it from time to time, also
 * while it is being connected to.
 */
export const redisOptions = {
  pingInterval: 2_000,
  socket: {
    connectTimeout: 2_000,
    socketTimeout: 5_000,
    reconnectStrategy: (tries: number): number => Math.min(LONGEST_PAUSE_MS, 50 * 2 ** tries),
  },
};
