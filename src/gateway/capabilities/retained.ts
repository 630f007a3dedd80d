/** Content that a request would retain, as the error `zero_retention` describes it. */
export interface Retained {
  readonly what: string;
  readonly next: string;
  readonly param?: string;
}
