import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; of repeated headers the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** An HTTP client that sends exactly the bytes it is given: what no well-behaved client would send, too. */
export class RawHttp {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => (this.#received = Buffer.concat([this.#received, bytes])));
    socket.on('end', () => (this.#ended = true));
    // A server may cut a connection that it refuses; what it said before is read all the same.
    socket.on('error', () => (this.#ended = true));
  }

  static async open(url: string): Promise<RawHttp> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawHttp(socket);
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  sendBytes(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** The next whole answer. With `bodyless` (the answer to HEAD) the announced body is not waited for. */
  async answer({ bodyless = false } = {}): Promise<RawAnswer> {
    const headEnd = await this.#until(() => this.#received.indexOf('\r\n\r\n'));
    const [statusLine = '', ...lines] = this.#received.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = new Map(lines.map((line) => splitHeader(line)));
    const status = Number(statusLine.split(' ')[1]);
    const length = bodyless || status === 204 ? 0 : Number(headers.get('content-length') ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error(`an answer without content-length: ${statusLine}`);
    const end = headEnd + 4 + length;
    await this.#until(() => (this.#received.length >= end ? end : -1));
    const body = this.#received.subarray(headEnd + 4, end).toString();
    this.#received = this.#received.subarray(end);
    return { status, headers, body };
  }

  /** Waits until the server has closed; what came after the answers that were read. */
  async rest(): Promise<string> {
    while (!this.#ended) await this.#changed();
    return this.#received.toString();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Waits for bytes until `find` gives an index. */
  async #until(find: () => number): Promise<number> {
    for (;;) {
      const index = find();
      if (index >= 0) return index;
      if (this.#ended) throw new Error(`the server closed after: ${this.#received.toString().slice(0, 500)}`);
      await this.#changed();
    }
  }

  /** Waits for bytes or the end, and removes its listeners. */
  async #changed(): Promise<void> {
    const waiting = new AbortController();
    const { signal } = waiting;
    try {
      await Promise.race(['data', 'end', 'close'].map((event) => once(this.#socket, event, { signal })));
    } finally {
      waiting.abort();
    }
  }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** One request on a connection of its own. */
export async function exchange(url: string, text: string, options?: { bodyless?: boolean }): Promise<RawAnswer> {
  const client = await RawHttp.open(url);
  try {
    client.send(text);
    return await client.answer(options);
  } finally {
    client.close();
  }
}
