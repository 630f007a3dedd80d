/** Of Node: where its inspector listens. */
const address = /ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]+/;

/** The inspector of a process. Source: chromedevtools.github.io/devtools-protocol. */
export interface Inspector {
  /** @throws Error that the protocol reports */
  send(method: string, params?: object): Promise<unknown>;
  close(): void;
}

/** @param output of a process that was started with `--inspect=127.0.0.1:0` */
export async function openInspector(output: string): Promise<Inspector> {
  const socket = new WebSocket(address.exec(output)?.[0] ?? '');
  const pending = new Map<number, (message: { readonly result?: unknown; readonly error?: unknown }) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data));
    pending.get(message.id)?.(message);
    pending.delete(message.id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let id = 0;
  return {
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        id++;
        pending.set(id, ({ result, error }) =>
          error === undefined ? resolve(result) : reject(new Error(`${method}: ${JSON.stringify(error)}`)),
        );
        socket.send(JSON.stringify({ id, method, params }));
      }),
    close: () => socket.close(),
  };
}
