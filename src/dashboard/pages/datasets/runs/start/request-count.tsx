import type { ReactNode } from 'react';
import { count } from '../../../../design/format.ts';

/** How many requests the run sends. */
export function RequestCount({
  itemCount,
  models,
  isJudged,
}: {
  readonly itemCount: number;
  readonly models: number;
  /** Whether a model judges each output. */
  readonly isJudged: boolean;
}): ReactNode {
  const requests = itemCount * models;
  return (
    <p role="status" className="figures rounded-medium bg-panel p-1.5">
      <span className="font-strong">{requests === 1 ? '1 request' : `${count(requests)} requests`}</span>
      <span className="text-soft">
        {`: ${itemCount === 1 ? '1 item' : `${count(itemCount)} items`} × ${models === 1 ? '1 model' : `${count(models)} models`}${isJudged ? `, and up to ${requests === 1 ? '1 request' : `${count(requests)} requests`} of the judge` : ''}`}
      </span>
    </p>
  );
}
