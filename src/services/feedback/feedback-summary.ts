import type { Database } from '../../database/database.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { numbered } from '../row-condition.ts';
import type { UsageReportFilter } from '../usage/report/usage-figures.ts';
import { reportConditions } from '../usage/report/usage-row-sums.ts';

export const feedbackDimensions = ['model', 'route', 'key'] as const;
export type FeedbackDimension = (typeof feedbackDimensions)[number];

export interface FeedbackSummaryQuery {
  /** Of the time of the requests. */
  readonly from: Date;
  readonly to: Date;
  readonly name: string | null;
  readonly groupBy: readonly FeedbackDimension[];
  /** Of the requests. */
  readonly filter?: UsageReportFilter;
}

/** Dimensions that were not grouped by are null. */
export interface FeedbackGroup {
  readonly name: string;
  readonly model: string | null;
  readonly route: string | null;
  readonly apiKeyId: string | null;
  readonly count: number;
  /** Of `count`, those that are booleans or numbers. */
  readonly scored: number;
  /** Null if none is scored. */
  readonly mean: number | null;
}

const MAX_SUMMARY_GROUPS = 500;

const columns: Readonly<Record<FeedbackDimension, string>> = {
  model: 'log.model',
  route: 'log.requested_model',
  key: 'log.api_key_id',
};

interface GroupRow {
  readonly name: string;
  readonly model?: string;
  readonly route?: string;
  readonly key?: string;
  readonly count: string;
  readonly scored: string;
  readonly mean: number | null;
}

/** Means of feedback on requests by its name and the dimensions, most frequent first. @throws SluiceError database_unavailable */
export async function summarizeFeedback(
  database: Database,
  accountId: string,
  { from, to, name, groupBy, filter = {} }: FeedbackSummaryQuery,
): Promise<FeedbackGroup[]> {
  const narrowing = reportConditions(accountId, filter, { from, to });
  if (narrowing === null) return [];
  const values: unknown[] = [accountId, from, to, name];
  const conditions = numbered(narrowing, values);
  const dimensions = feedbackDimensions.filter((each) => groupBy.includes(each));
  const keys = dimensions.map((each) => `, ${columns[each]} as ${each}`).join('');
  const rows = await mapDatabaseErrors(() =>
    database.query<GroupRow>(
      `select feedback.name${keys}, count(*) as count, count(score) as scored, avg(score)::float8 as mean
       from feedback join (
         -- Its conditions name columns that feedback has as well.
         select event_id, began_at, model, requested_model, api_key_id from usage_logs where account_id = $1${conditions}
       ) as log on log.event_id = feedback.event_id and log.began_at = feedback.requested_at
       where feedback.account_id = $1 and requested_at >= $2 and requested_at < $3 and ($4::text is null or feedback.name = $4)
       group by feedback.name${dimensions.map((each) => `, ${columns[each]}`).join('')}
       order by count(*) desc, feedback.name limit ${MAX_SUMMARY_GROUPS}`,
      values,
    ),
  );
  return rows.map(({ name: group, model = null, route = null, key = null, count, scored, mean }) => ({
    name: group,
    model,
    route,
    apiKeyId: key,
    count: Number(count),
    scored: Number(scored),
    mean,
  }));
}
