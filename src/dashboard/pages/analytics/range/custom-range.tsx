import { useState, type FormEvent, type ReactNode } from 'react';
import type { Range } from '../../../data/range.ts';
import { rangeProblem } from './custom-limits.ts';
import { instantOf, localInput } from './zoned-time.ts';
import { Button } from '../../../design/button.tsx';
import { Input } from '../../../design/field.tsx';
import { useViewer } from '../../../shell/viewer.ts';

/** Beginning and end of a range, in the account's time zone. */
export function CustomRange({
  range,
  onChange,
}: {
  readonly range: Range;
  readonly onChange: (range: { readonly from: string; readonly to: string }) => void;
}): ReactNode {
  const { timeZone } = useViewer().currentAccount;
  const [from, setFrom] = useState(() => localInput(range.from, timeZone));
  const [to, setTo] = useState(() => localInput(range.to, timeZone));
  const [error, setError] = useState<string | null>(null);
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    const [start, end] = [instantOf(from, timeZone), instantOf(to, timeZone)];
    const problem = rangeProblem(start ?? '', end ?? '');
    setError(problem);
    if (problem === null && start !== null && end !== null) onChange({ from: start, to: end });
  };
  return (
    <form onSubmit={apply} aria-label="Custom range" className="col-span-full flex flex-wrap items-end gap-1">
      <Input label="From" type="datetime-local" value={from} onChange={({ target }) => setFrom(target.value)} />
      <Input label="To" type="datetime-local" value={to} onChange={({ target }) => setTo(target.value)} />
      <Button type="submit">Apply</Button>
      {error === null ? (
        <span className="self-center text-small text-soft">{`Time zone ${timeZone}`}</span>
      ) : (
        <span role="alert" className="self-center text-bad">
          {error}
        </span>
      )}
    </form>
  );
}
