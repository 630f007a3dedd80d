import type { ReactNode } from 'react';
import { count } from '../../../../design/format.ts';
import type { RunModel } from './metrics.ts';

/** The error codes of each model, with the number of requests. */
export function ErrorList({ models }: { readonly models: readonly RunModel[] }): ReactNode {
  return (
    <table className="w-full border-collapse text-left md:w-auto md:min-w-60 md:self-start">
      <caption className="sr-only">Errors of each model</caption>
      <thead className="text-small text-soft">
        <tr>
          <th scope="col" className="py-0.5 font-normal">
            Model
          </th>
          <th scope="col" className="px-2 py-0.5 font-normal">
            Error
          </th>
          <th scope="col" className="py-0.5 text-right font-normal">
            Requests
          </th>
        </tr>
      </thead>
      <tbody>
        {models.flatMap(({ model, errors, judge }) => [
          ...errors.map((error) => <Row key={`${model} ${error.code}`} model={model} {...error} />),
          ...(judge?.errors ?? []).map((error) => (
            <Row key={`${model} judge ${error.code}`} model={`${model} (judge)`} {...error} />
          )),
        ])}
      </tbody>
    </table>
  );
}

function Row({
  model,
  code,
  count: requests,
}: {
  readonly model: string;
  readonly code: string;
  readonly count: number;
}): ReactNode {
  return (
    <tr className="border-t border-line align-top">
      <td className="py-0.75 font-mono wrap-anywhere">{model}</td>
      <td className="px-2 py-0.75 font-mono wrap-anywhere text-bad">{code}</td>
      <td className="py-0.75 text-right">{count(requests)}</td>
    </tr>
  );
}
