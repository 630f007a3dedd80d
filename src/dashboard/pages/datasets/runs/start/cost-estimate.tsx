import type { ReactNode } from 'react';
import { useQuery } from '../../../../data/graphql/hooks.ts';
import { money } from '../../../../design/format.ts';
import { DatasetRunEstimateDocument, type DatasetRunEstimateQuery } from '../../../../generated/graphql.ts';

type Estimate = DatasetRunEstimateQuery['datasetRunEstimate']['models'][number];

/** What the run is expected to cost, by model, and what that assumes. */
export function CostEstimate({
  datasetId,
  models,
  judge,
  maxTokens,
}: {
  readonly datasetId: string;
  /** At least one. */
  readonly models: readonly string[];
  readonly judge: string | undefined;
  readonly maxTokens: number | null;
}): ReactNode {
  const { data, failure } = useQuery(DatasetRunEstimateDocument, {
    datasetId,
    models: [...models],
    judge: judge ?? null,
    maxTokens,
  });
  // The form says what is wrong when it is sent.
  if (failure) return <p className="text-soft">The cost cannot be estimated: {failure.message}</p>;
  if (data === null) return <p className="text-soft">Estimating the cost …</p>;
  const { models: estimates, judge: ofJudge } = data.datasetRunEstimate;
  const all = ofJudge == null ? estimates : [...estimates, ofJudge];
  const unpriced = all.filter(({ costUsd }) => costUsd == null).map(({ model }) => model);
  const sum = all.reduce((total, { costUsd }) => total + Number(costUsd ?? 0), 0);
  return (
    <div className="flex flex-col gap-0.75">
      <table className="figures w-full border-collapse text-left">
        <caption className="pb-0.5 text-left font-strong">Estimated cost</caption>
        <tbody>
          {estimates.map((estimate) => (
            <Row key={estimate.model} name={estimate.model} estimate={estimate} />
          ))}
          {ofJudge == null ? null : <Row name={`${ofJudge.model} (judge)`} estimate={ofJudge} />}
        </tbody>
        {all.length > 1 ? (
          <tfoot>
            <tr className="border-t border-line font-strong">
              <th scope="row" className="py-0.5 pr-1">
                {unpriced.length > 0 ? 'Total of the others' : 'Total'}
              </th>
              <td className="py-0.5 text-right">{money(sum)}</td>
            </tr>
          </tfoot>
        ) : null}
      </table>
      {unpriced.length === 0 ? null : (
        <p className="wrap-anywhere">
          No price is known for {unpriced.join(', ')}: the estimate does not contain{' '}
          {unpriced.length === 1 ? 'its' : 'their'} cost.
        </p>
      )}
      <p className="text-soft">
        Assumes inputs and outputs as long as those of the logged requests
        {maxTokens === null ? '' : ', outputs limited by max tokens'}
        {judge === undefined ? '' : ', and answers of 120 tokens from the judge'}. Models count tokens differently, and
        some write or reason more.
      </p>
    </div>
  );
}

function Row({ name, estimate: { costUsd } }: { readonly name: string; readonly estimate: Estimate }): ReactNode {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-0.5 pr-1 font-mono font-normal wrap-anywhere">
        {name}
      </th>
      <td className="py-0.5 text-right whitespace-nowrap">
        {costUsd == null ? <span className="text-soft">No price</span> : money(Number(costUsd))}
      </td>
    </tr>
  );
}
