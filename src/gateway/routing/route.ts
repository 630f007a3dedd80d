import type { CompiledRates } from '../../catalogue/price.ts';
import type { Connection } from '../../providers/contract.ts';

/** Where a model's requests go and what they cost. One shared object per model, made when it is first asked for. */
export interface Route {
  readonly connection: Connection;
  /** Canonical: `provider/model`. */
  readonly model: string;
  /** The provider's own name of the model. */
  readonly upstreamModel: string;
  readonly maxOutputTokens: number | null;
  /** Null: not billed, or no price is known. */
  readonly rates: CompiledRates | null;
  /** `model` as JSON. */
  readonly modelJson: string;
  /** What the usage records of all its requests say alike, as members of a JSON object. */
  readonly usageMembers: string;
  /** The same of each try in them. */
  readonly attemptMembers: string;
}

export interface Router {
  /** By canonical name, alias, or a bare name that is unambiguous. */
  resolve(model: string): Route | undefined;
}
