import { History as HistoryIcon, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Checkbox } from '../../design/field.tsx';
import { Empty } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { capabilityTitles } from './capabilities.ts';
import type { TargetedDraft } from './draft.ts';
import type { History } from './history.ts';

export function HistoryList({
  history,
  onOpen,
}: {
  readonly history: History;
  readonly onOpen: (draft: TargetedDraft) => void;
}): ReactNode {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <div className="flex-1">
          <Checkbox
            label="Store prompts and media in this browser"
            checked={history.isStored}
            disabled={!history.canStore}
            onChange={({ target }) => history.setStored(target.checked)}
          />
        </div>
        {history.entries.length > 0 ? (
          <Button icon={<Trash2 size={16} aria-hidden />} onClick={history.clear}>
            Clear
          </Button>
        ) : null}
      </div>
      {history.entries.length === 0 ? (
        <Empty icon={<HistoryIcon size={24} />} title="No history yet">
          {history.canStore
            ? 'Your requests are listed here. Select one to edit or send it again.'
            : 'This account has zero retention, so requests are not stored.'}
        </Empty>
      ) : (
        <ul className="flex flex-col">
          {history.entries.map(({ at, draft }) => (
            <li key={at}>
              <button
                type="button"
                onClick={() => onOpen(draft)}
                className="flex w-full flex-col gap-0.5 rounded-medium p-1 text-left hover:bg-hover"
              >
                <span className="line-clamp-2">{summary(draft)}</span>
                <span className="flex flex-wrap items-center gap-1 text-small text-soft">
                  <Badge>{capabilityTitles[draft.capability]}</Badge>
                  <span className="font-mono">{draft.model}</span>
                  <Time at={at} as="relative" />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function summary({ capability, prompt, texts }: TargetedDraft): string {
  if (capability === 'embeddings') return texts.join(' · ');
  return prompt === '' ? 'Recording' : prompt;
}
