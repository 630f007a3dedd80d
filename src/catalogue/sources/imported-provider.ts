/** A provider whose models are imported, with its names in the sources. */
export interface ImportedProvider {
  /** The prefix of its models in the catalogue. */
  readonly id: string;
  /** Its ids in models.dev, of which the first that exists is read; `id` if absent. */
  readonly modelsDev?: readonly string[];
  /** The name of its file of media prices, without `.json`. */
  readonly mediaPrices?: string;
  /** Whether the image prices of that file are in USD; all other prices are in US cents. */
  readonly mediaInDollars?: boolean;
  /** Whether the discount of its batch API applies to the rates of its cache too, which that file does not state. */
  readonly batchDiscountsCache?: boolean;
}
