/** How responses and their items are called: by those who keep them. */
export interface ResponseNames {
  /** Of its UUID. */
  response(id: string): string;
  /** Of an item of its output. @param prefix `msg`, `fc`, `rs` … */
  item(prefix: string, id: string, index: number): string;
  /** The UUID behind what a response is called; null where that is none. */
  read(publicId: string): string | null;
}
