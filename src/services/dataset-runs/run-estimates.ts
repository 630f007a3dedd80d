import { z } from 'zod';
import { tokenUsage } from '../../catalogue/prices/priced-usage.ts';
import { compileRates, costNano } from '../../catalogue/prices/price.ts';
import type { Database } from '../../database/database.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { DatasetReader } from '../datasets/dataset-reader.ts';
import { parseInput } from '../parse-input.ts';
import { modelNames } from './run-input.ts';
import { runModel, runModels, type RunModel, type UsableModel } from './run-models.ts';

/** What one model of a run is expected to cost. */
export interface CostEstimate {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null where its price is not known. */
  readonly costNano: bigint | null;
}

export interface RunEstimate {
  readonly models: readonly CostEstimate[];
  readonly judge: CostEstimate | null;
}

export interface RunEstimatesDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly datasets: Pick<DatasetReader, 'get'>;
  readonly usableModel: UsableModel;
}

/** Of an item whose request the usage log no longer has, or that had no output. */
const DEFAULT_OUTPUT_TOKENS = 300;
/** Of the instructions of a judge and a rubric of usual length. */
const JUDGE_INPUT_TOKENS = 400;
/** A score with a reason of three sentences. */
const JUDGE_OUTPUT_TOKENS = 120;

const inputSchema = z.object({
  models: modelNames,
  judge: z.string().nullish(),
  maxTokens: z.int().min(1).nullish(),
});

/** Input and output tokens of the items of dataset `$1`, as logged; else by their length. Outputs have up to `$3` tokens, if that is not null. */
const tokensOfItems = `
select count(*)::int as items, coalesce(sum(input), 0)::double precision as input,
  coalesce(sum(least(output, $3::int)), 0)::double precision as output
from (
  select coalesce(u.input_tokens, ceil(i.bytes / 4.0)) as input,
    coalesce(nullif(u.output_tokens, 0), ${DEFAULT_OUTPUT_TOKENS}) as output
  from dataset_items i left join usage_logs u on u.event_id = i.event_id and u.account_id = i.account_id
  where i.dataset_id = $1 and i.account_id = $2
) each_item`;

interface ItemTokens {
  readonly items: number;
  readonly input: number;
  readonly output: number;
}

/** Estimates what runs cost, from the tokens of the requests that their items copy. */
export class RunEstimates {
  readonly #dependencies: RunEstimatesDependencies;

  constructor(dependencies: RunEstimatesDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws SluiceError not_found | bad_user_input | model_not_found | database_unavailable */
  async of(key: KeyRecord, datasetId: string, input: object): Promise<RunEstimate> {
    const { models, judge, maxTokens } = parseInput(inputSchema, input);
    const { database, datasets, usableModel } = this.#dependencies;
    await datasets.get(key.accountId, datasetId);
    const given = runModels(usableModel, key, models);
    const judging = judge == null ? null : runModel(usableModel, key, judge, 'judge');
    const values = [datasetId, key.accountId, maxTokens ?? null];
    const [tokens = { items: 0, input: 0, output: 0 }] = await mapDatabaseErrors(() =>
      database.query<ItemTokens>(tokensOfItems, values),
    );
    return {
      models: given.map((model) => estimateOf(key, model, tokens)),
      judge: judging === null ? null : estimateOf(key, judging, judged(tokens, models.length)),
    };
  }
}

function estimateOf(
  { plan }: KeyRecord,
  { name, listing }: RunModel,
  { items, input, output }: ItemTokens,
): CostEstimate {
  const [inputTokens, outputTokens] = [Math.ceil(input), Math.ceil(output)];
  const of = { model: name, inputTokens, outputTokens };
  if (listing.isUnpriced) return { ...of, costNano: null };
  if (listing.pricing === null || items === 0) return { ...of, costNano: 0n };
  // Prices may depend on the length of the input.
  const longestInput = Math.ceil(input / items);
  const usage = { ...tokenUsage(inputTokens, outputTokens), calls: items, longestInput };
  return { ...of, costNano: costNano(compileRates(listing.pricing), usage, plan.markupPpm) };
}

/** A judge gets each item with the expected output and the output, once for each model. */
function judged({ items, input, output }: ItemTokens, models: number): ItemTokens {
  const requests = items * models;
  return {
    items: requests,
    input: models * (input + 2 * output) + requests * JUDGE_INPUT_TOKENS,
    output: requests * JUDGE_OUTPUT_TOKENS,
  };
}
