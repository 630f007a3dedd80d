import type { TokenRates } from './token-rates.ts';

/** What is known of one model of one provider. */
export interface ModelRecord {
  /** Canonical: `provider/model`. */
  readonly id: string;
  readonly provider: string;
  /** For people. */
  readonly name: string;
  /** Tokens; null where the source does not say. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  /** `text`, `image`, `audio`, `video`, `file`. */
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** `chat`, `embeddings`, `images` ..., and `tools`, `json_schema`, `reasoning`, `vision`. */
  readonly capabilities: readonly string[];
  /** Null where it is not billed, or no price is known. */
  readonly rates: TokenRates | null;
  /**
   * Names the source of the rates and its date, so that a settled request can always be explained:
   * `models.dev@2026-07-02`; two, joined by `+`, where the second says what the first does not.
   */
  readonly priceVersion: string;
  /** `YYYY-MM-DD`; null where the source does not say. */
  readonly releasedOn: string | null;
}
