import type { ReactNode } from 'react';
import { Badge } from '../../../design/badge.tsx';
import { words } from '../../../design/format.ts';
import { Textarea } from '../../../design/textarea.tsx';
import { isObject } from '../../../data/json.ts';
import type { PanelProps } from '../panel.ts';
import { requestOf } from '../request.ts';
import { paths } from '../samples.ts';
import { SendForm } from '../send-form.tsx';
import { persistentCall } from '../persistent-call.ts';

interface ModerationResult {
  readonly isFlagged: boolean;
  readonly categories: readonly { readonly name: string; readonly score: number; readonly isFlagged: boolean }[];
}

const useModerationResult = persistentCall<ModerationResult>();

/** Checks a text for harmful content. */
export function Moderation({ draft, model, change, onSent }: PanelProps): ReactNode {
  const called = useModerationResult();
  const send = (): void => {
    if (model === null) return;
    onSent();
    const body = requestOf('moderation', model, draft);
    called.call({ path: paths.moderation, body }, draft.prompt, async ({ response }) =>
      readModerationResult(await response.json()),
    );
  };
  return (
    <SendForm
      called={called}
      input={draft.prompt}
      canSend={model !== null && draft.prompt.trim() !== ''}
      label="Check"
      onSend={send}
      empty="Each category and its score appear here."
      fields={
        <Textarea
          label="Text"
          required
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
      }
    >
      {({ isFlagged, categories }) => (
        <div className="flex flex-col gap-1.5">
          <div>{isFlagged ? <Badge tone="bad">Flagged</Badge> : <Badge tone="good">Not flagged</Badge>}</div>
          <ul className="figures grid gap-x-3 gap-y-0.75 md:grid-cols-2">
            {categories.map(({ name, score, isFlagged: isBad }) => (
              <li key={name} className="grid grid-cols-[minmax(0,1fr)_96px_48px] items-center gap-1">
                <span className={`wrap-anywhere ${isBad ? 'font-strong text-bad' : ''}`}>
                  {words(name.replace('/', ', '))}
                </span>
                <meter min={0} max={1} value={score} aria-label={name} className="h-1 w-full" />
                <span className="text-right text-small text-soft">{score.toFixed(3)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </SendForm>
  );
}

function readModerationResult(body: unknown): ModerationResult {
  const results = isObject(body) && Array.isArray(body.results) ? body.results : [];
  const [first]: unknown[] = results;
  if (!isObject(first) || !isObject(first.category_scores)) throw new TypeError('no moderation result');
  const flags = isObject(first.categories) ? first.categories : {};
  return {
    isFlagged: first.flagged === true,
    categories: Object.entries(first.category_scores)
      .map(([name, score]) => ({ name, score: Number(score), isFlagged: flags[name] === true }))
      .sort((one, other) => other.score - one.score),
  };
}
