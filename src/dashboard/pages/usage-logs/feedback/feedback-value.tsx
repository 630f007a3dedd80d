import { ThumbsDown, ThumbsUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { GivenFeedbackFragment } from '../../../generated/graphql.ts';

type Value = Pick<GivenFeedbackFragment, 'boolean' | 'number' | 'category'>;

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** A thumb for a boolean; a number or a category as it is. */
export function FeedbackValue({ value: { boolean, number, category } }: { readonly value: Value }): ReactNode {
  if (boolean === true) return <ThumbsUp size={16} role="img" aria-label="Good" className="text-good" />;
  if (boolean === false) return <ThumbsDown size={16} role="img" aria-label="Bad" className="text-bad" />;
  return <span className="figures">{number == null ? category : numbers.format(number)}</span>;
}

/** The feedback of one request in a row: each value with its number of times. */
export function FeedbackCell({ feedback }: { readonly feedback: readonly Value[] }): ReactNode {
  if (feedback.length === 0) return <span className="text-soft">–</span>;
  const groups = Map.groupBy(feedback, ({ boolean, number, category }) => `${boolean} ${number} ${category}`);
  return (
    <span className="flex flex-wrap items-center gap-x-1">
      {[...groups].slice(0, MAX_VALUES).map(([key, [value, ...more]]) =>
        value === undefined ? null : (
          <span key={key} className="inline-flex items-center gap-0.25">
            <FeedbackValue value={value} />
            {more.length > 0 ? <span className="figures text-small text-soft">× {more.length + 1}</span> : null}
          </span>
        ),
      )}
      {groups.size > MAX_VALUES ? <span className="text-small text-soft">…</span> : null}
    </span>
  );
}

const MAX_VALUES = 2;
