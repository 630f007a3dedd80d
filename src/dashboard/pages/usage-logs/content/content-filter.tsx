import type { ReactNode } from 'react';
import { useQuery } from '../../../data/graphql/hooks.ts';
import { ContentSearchDocument } from '../../../generated/graphql.ts';
import { TextFilter } from '../text-filter.tsx';

/** Finds requests by words of their logged content, where the account allows search. */
export function ContentFilter({
  words,
  onChange,
}: {
  readonly words: string | undefined;
  readonly onChange: (words: string | undefined) => void;
}): ReactNode {
  const { data } = useQuery(ContentSearchDocument, {});
  if (data?.account.contentLogging.search !== true && words === undefined) return null;
  return (
    <div className="max-md:col-span-2">
      <TextFilter label="Words in content" value={words ?? ''} onChange={onChange} />
    </div>
  );
}
