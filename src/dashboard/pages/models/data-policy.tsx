import type { ReactNode } from 'react';
import { calendarDate } from '../../design/format.ts';
import { Facts } from '../../design/page.tsx';
import type { DataPolicyPartsFragment } from '../../generated/graphql.ts';

export function trainingText({ trainsOnData }: DataPolicyPartsFragment): string {
  if (trainsOnData == null) return 'Unknown';
  return trainsOnData ? 'Trains on API data' : 'Does not train';
}

export function retentionText({ retentionDays }: DataPolicyPartsFragment): string {
  if (retentionDays == null) return 'Unknown';
  if (retentionDays === 0) return 'Zero retention';
  return `At most ${retentionDays} ${retentionDays === 1 ? 'day' : 'days'}`;
}

export function regionText(region: string | null | undefined): string {
  return region ?? 'Unknown';
}

/** For a row of a list: what is known. */
export function shortPolicyText(region: string | null | undefined, policy: DataPolicyPartsFragment): string {
  const known = [
    region ?? null,
    policy.trainsOnData == null ? null : trainingText(policy),
    policy.retentionDays == null ? null : retentionText(policy),
  ].filter((each) => each !== null);
  return known.length > 0 ? known.join(', ') : '–';
}

/** The page that states a policy, or who states it otherwise. */
export function PolicySource({ policy }: { readonly policy: DataPolicyPartsFragment }): ReactNode {
  const { source, readAt, isSetByConnection, trainsOnData, retentionDays } = policy;
  if (source == null && isSetByConnection) return 'Stated by the owner of the connection';
  // A route over several providers has no page of its own.
  if (source == null)
    return trainsOnData == null && retentionDays == null ? 'None' : 'Stated by the providers of its targets';
  return (
    <>
      {isSetByConnection ? 'The owner of the connection, and ' : ''}
      <a
        href={source}
        target="_blank"
        rel="noreferrer"
        className="text-accent wrap-anywhere underline underline-offset-2"
      >
        {new URL(source).hostname}
      </a>
      {readAt == null ? '' : `, read ${calendarDate(readAt)}`}
    </>
  );
}

/** Region and data policy with their source. */
export function PolicyFacts({
  region,
  policy,
}: {
  readonly region: string | null | undefined;
  readonly policy: DataPolicyPartsFragment;
}): ReactNode {
  return (
    <Facts
      facts={[
        ['Region', regionText(region)],
        ['Training', trainingText(policy)],
        ['Retention', retentionText(policy)],
        ['Source', <PolicySource key="source" policy={policy} />],
      ]}
    />
  );
}
