/** How large an operation may be, over HTTP and WebSocket alike. */
export interface OperationLimits {
  /** Fields within fields. Introspection has a bound of its own. */
  readonly depth: number;
  /** Aliases, with those that fragments bring as often as they are spread. */
  readonly aliases: number;
  /** Fields at the root, by the names that they have in the answer. */
  readonly rootFields: number;
  /** In the whole document. */
  readonly directives: number;
  /** Of the document's text. */
  readonly tokens: number;
  /** Points that one operation may cost. */
  readonly cost: number;
  /** Points that one caller may spend in a minute. */
  readonly costPerMinute: number;
}

/** An introspection query, and every document of the dashboard, is far within these. */
export const usualLimits: OperationLimits = {
  depth: 12,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  tokens: 5_000,
  cost: 5_000,
  costPerMinute: 100_000,
};
