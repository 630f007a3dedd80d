import { formatUsd } from '../../catalogue/prices/price.ts';
import { textOfMessage } from '../../services/datasets/message-text.ts';
import type { CostEstimate } from '../../services/dataset-runs/run-estimates.ts';
import type {
  NamedModel,
  OpenedOutput,
  RunJudge,
  RunModel,
  RunResult,
} from '../../services/dataset-runs/run-reader.ts';
import type { RunRow } from '../../services/dataset-runs/run-rows.ts';
import type { ModelSummary } from '../../services/dataset-runs/figures/run-summary.ts';
import type { DatasetItem } from '../datasets/dataset.types.ts';
import { toGlobalId } from '../relay/global-id.ts';
import type { DatasetRunCostEstimate } from './dataset-run-estimate.types.ts';
import type { DatasetRunJudgement, DatasetRunModelJudge } from './dataset-run-judge.types.ts';
import { DatasetJudgeScale, DatasetRunOutputStatus, DatasetRunStatus, DatasetScorer } from './dataset-run.enums.ts';
import type { DatasetRunOutput, DatasetRunResult } from './dataset-run-result.types.ts';
import type { DatasetRun, DatasetRunCommonFigures, DatasetRunModel } from './dataset-run.types.ts';

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
    judge: row.judge === null ? null : { ...row.judge, scale: DatasetJudgeScale[row.judge.scale] },
  };
}

export function toDatasetRunModel(
  run: DatasetRun,
  { model, isPriced, summary, common, waitingFor, judge }: RunModel,
): DatasetRunModel {
  const { completed, failed, errors } = summary;
  return {
    ...figuresOf(run, isPriced, summary),
    model,
    waitingFor,
    total: run.itemCount,
    completed,
    failed,
    errors: [...errors],
    common: common === null ? null : { ...figuresOf(run, isPriced, common), items: common.completed },
    judge: judge === null ? null : toModelJudge(judge),
  };
}

function toModelJudge({ isPriced, waitingFor, summary }: RunJudge): DatasetRunModelJudge {
  const { completed, failed, costNano, inputTokens, outputTokens, errors } = summary;
  return {
    scored: completed,
    failed,
    costUsd: isPriced ? formatUsd(BigInt(costNano)) : null,
    inputTokens,
    outputTokens,
    waitingFor,
    errors: [...errors],
  };
}

type Figures = Omit<DatasetRunCommonFigures, 'items'>;

function figuresOf(run: DatasetRun, isPriced: boolean, summary: ModelSummary): Figures {
  const { costNano, inputTokens, outputTokens, latencyP50Ms, latencyP95Ms, outputTokensPerSecond, scores } = summary;
  return {
    costUsd: isPriced ? formatUsd(BigInt(costNano)) : null,
    inputTokens,
    outputTokens,
    latencyP50Ms,
    latencyP95Ms,
    outputTokensPerSecond,
    scores: scores.flatMap(({ scorer: at, average, count }) => {
      const scorer = run.scorers[at];
      return scorer === undefined ? [] : [{ scorer, average, count }];
    }),
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
  { model, isPriced, outcome, judge }: NamedModel,
  output: OpenedOutput | null,
): DatasetRunOutput {
  const status = output?.status ?? null;
  const { message = null, errorMessage = null } = output?.document ?? {};
  const scores = output?.scores ?? [];
  return {
    ...requestOf(output, isPriced),
    model,
    status: statusOf(status, outcome),
    text: message === null ? null : textOfMessage(message),
    toolCalls: message?.tool_calls ?? null,
    errorMessage,
    durationMs: output?.duration_ms ?? null,
    inputTokens: output?.input_tokens ?? null,
    outputTokens: output?.output_tokens ?? null,
    scores: scores.flatMap((value, at) => {
      const scorer = run.scorers[at];
      return value === null || scorer === undefined ? [] : [{ scorer, value }];
    }),
    judgement: judge === null || status !== 'completed' ? null : toJudgement(judge, output?.judgement ?? null),
  };
}

function toJudgement(
  { isPriced, outcome }: NonNullable<NamedModel['judge']>,
  output: OpenedOutput | null,
): DatasetRunJudgement {
  const { judgement = null, errorMessage = null } = output?.document ?? {};
  return {
    ...requestOf(output, isPriced),
    status: statusOf(output?.status ?? null, outcome),
    score: judgement?.score ?? null,
    reason: judgement?.reason ?? null,
    errorMessage,
  };
}

/** What is known of a request. */
function requestOf(
  output: OpenedOutput | null,
  isPriced: boolean,
): Pick<DatasetRunOutput, 'isReadable' | 'errorCode' | 'costUsd' | 'usageLogId'> {
  const isMetered = output?.is_metered === true;
  const eventId = output?.status == null ? null : output.event_id;
  return {
    isReadable: output?.isReadable !== false,
    errorCode: output?.error_code ?? null,
    costUsd: isMetered && isPriced ? formatUsd(BigInt(output.cost_nano)) : null,
    usageLogId: eventId === null ? null : toGlobalId('UsageLog', eventId),
  };
}

function statusOf(status: OpenedOutput['status'], outcome: string | null): DatasetRunOutputStatus {
  if (status === 'completed') return DatasetRunOutputStatus.COMPLETED;
  if (status === 'failed') return DatasetRunOutputStatus.FAILED;
  return outcome === null ? DatasetRunOutputStatus.PENDING : DatasetRunOutputStatus.CANCELLED;
}

export function toCostEstimate({ costNano, ...estimate }: CostEstimate): DatasetRunCostEstimate {
  return { ...estimate, costUsd: costNano === null ? null : formatUsd(costNano) };
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
