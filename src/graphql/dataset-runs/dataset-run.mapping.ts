import { formatUsd } from '../../catalogue/prices/price.ts';
import { textOfMessage } from '../../services/datasets/message-text.ts';
import type { NamedModel, OpenedOutput, RunModel, RunResult } from '../../services/dataset-runs/run-reader.ts';
import type { RunRow } from '../../services/dataset-runs/run-rows.ts';
import type { DatasetItem } from '../datasets/dataset.types.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { DatasetRunOutputStatus, DatasetRunStatus, DatasetScorer } from './dataset-run.enums.ts';
import type { DatasetRunOutput, DatasetRunResult } from './dataset-run-result.types.ts';
import type { DatasetRun, DatasetRunModel } from './dataset-run.types.ts';

/** Of the batches that run the requests. */
const EXPIRED = 'Some requests did not run within 24 hours. Run the dataset again, or raise the limits of the API key.';

export function toDatasetRun(row: RunRow): DatasetRun {
  return {
    id: toGlobalId('DatasetRun', row.id),
    datasetId: row.dataset_id,
    memberId: row.member_id,
    name: row.name,
    status: DatasetRunStatus[row.status],
    failureReason: row.has_expired ? EXPIRED : null,
    createdAt: new Date(Number(row.created_ms)),
    startedAt: dateOf(row.started_ms),
    completedAt: dateOf(row.ended_ms),
    itemCount: row.items,
    scorers: row.scorers.map((name) => scorerOf(name)),
    temperature: row.temperature,
    maxTokens: row.max_tokens,
  };
}

export function toDatasetRunModel(
  run: DatasetRun,
  { model, isPriced, summary, waitingFor }: RunModel,
): DatasetRunModel {
  const { costNano, scores, errors, ...figures } = summary;
  return {
    ...figures,
    model,
    waitingFor,
    total: run.itemCount,
    costUsd: isPriced ? formatUsd(BigInt(costNano)) : null,
    scores: scores.flatMap(({ scorer: at, average, count }) => {
      const scorer = run.scorers[at];
      return scorer === undefined ? [] : [{ scorer, average, count }];
    }),
    errors: [...errors],
  };
}

export function toDatasetRunResult(
  run: DatasetRun,
  models: readonly NamedModel[],
  { position, outputs }: RunResult,
  loadItem: (withContent: boolean) => Promise<DatasetItem | null>,
): DatasetRunResult {
  return {
    loadItem,
    position,
    outputs: models.map((model, at) => toOutput(run, model, outputs[at] ?? null)),
  };
}

function toOutput(
  run: DatasetRun,
  { model, isPriced, outcome }: NamedModel,
  output: OpenedOutput | null,
): DatasetRunOutput {
  const isMetered = output?.is_metered === true;
  const status = output?.status ?? null;
  const { message = null, errorMessage = null } = output?.document ?? {};
  const scores = output?.scores ?? [];
  return {
    model,
    status: statusOf(status, outcome),
    text: message === null ? null : textOfMessage(message),
    isReadable: output?.isReadable !== false,
    toolCalls: message?.tool_calls ?? null,
    errorCode: output?.error_code ?? null,
    errorMessage,
    costUsd: isMetered && isPriced ? formatUsd(BigInt(output.cost_nano)) : null,
    durationMs: output?.duration_ms ?? null,
    inputTokens: output?.input_tokens ?? null,
    outputTokens: output?.output_tokens ?? null,
    usageLogId: status === null || output?.event_id == null ? null : toGlobalId('UsageLog', output.event_id),
    scores: scores.flatMap((value, at) => {
      const scorer = run.scorers[at];
      return value === null || scorer === undefined ? [] : [{ scorer, value }];
    }),
  };
}

function statusOf(status: OpenedOutput['status'], outcome: string | null): DatasetRunOutputStatus {
  if (status === 'completed') return DatasetRunOutputStatus.COMPLETED;
  if (status === 'failed') return DatasetRunOutputStatus.FAILED;
  return outcome === null ? DatasetRunOutputStatus.PENDING : DatasetRunOutputStatus.CANCELLED;
}

/** The names are the same. */
function scorerOf(name: string): DatasetScorer {
  const scorer = Object.values(DatasetScorer).find((each) => each === name);
  if (scorer === undefined) throw new TypeError(`unknown scorer ${name}`);
  return scorer;
}

function dateOf(milliseconds: string | null): Date | null {
  return milliseconds === null ? null : new Date(Number(milliseconds));
}
