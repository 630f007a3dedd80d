/** Limits of an operation, for HTTP and WebSocket. */
export interface OperationLimits {
  /** Nesting depth of fields. Introspection has its own limit. */
  readonly depth: number;
  /** Aliases, counted for each spread of a fragment. */
  readonly aliases: number;
  /** Root fields, by response name. */
  readonly rootFields: number;
  /** In the complete document. */
  readonly directives: number;
  /** Tokens of the document. */
  readonly tokens: number;
  /** Maximum points per operation. */
  readonly cost: number;
  /** Maximum points per caller and minute. */
  readonly costPerMinute: number;
}

/** Far above an introspection query and every document of the dashboard. */
export const DEFAULT_LIMITS: OperationLimits = {
  depth: 12,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  tokens: 5_000,
  cost: 5_000,
  costPerMinute: 100_000,
};
