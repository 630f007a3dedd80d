/** Of one socket: each of its streams continues one of its latest responses, or that of another stream. */
const MAX_RESPONSES = 64;

/** The responses of one client's socket that sockets to providers hold: the connections, by the responses' ids. */
export class HeldResponses {
  /** Oldest first. */
  readonly #holders = new Map<string, string>();

  get holders(): ReadonlyMap<string, string> {
    return this.#holders;
  }

  add(id: string, connectionId: string): void {
    this.#holders.delete(id);
    this.#holders.set(id, connectionId);
    const [oldest] = this.#holders.keys();
    if (this.#holders.size > MAX_RESPONSES && oldest !== undefined) this.#holders.delete(oldest);
  }
}
