/** Public ids of responses and their items. */
export interface ResponseNames {
  /** The public id of a response's UUID. */
  response(id: string): string;
  /** The id of an output item. @param prefix `msg`, `fc`, `rs` … */
  item(prefix: string, id: string, index: number): string;
  /** Whether a text is the id of an output item. */
  isItem(text: string): boolean;
  /** The UUID of a public id; null if it is invalid. */
  read(publicId: string): string | null;
}
