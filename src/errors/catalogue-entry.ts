/** How an error is rendered. `{name}` in a message is replaced by the error's value of that name. */
export interface CatalogueEntry {
  /** HTTP status on the REST surface. */
  readonly status: number;
  /** OpenAI's `error.type`. */
  readonly type: string;
  /** OpenAI's `error.code`. Defaults to the catalogue's code; `null` if OpenAI sends none. */
  readonly wireCode?: string | null;
  /** Sent to the client: what happened, why, and what to do next. Contains no internals. */
  readonly message: string;
}
