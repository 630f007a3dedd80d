import { X } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { isObject } from '../../data/json.ts';
import { Button } from '../../design/button.tsx';
import { count } from '../../design/format.ts';
import type { Draft } from '../playground/draft.ts';
import type { Replay } from '../playground/replay/loaded-replay.tsx';
import { parametersOfReplay } from '../playground/replay/replayed-parameters.ts';
import { BodyView } from '../usage-logs/content/turn-list.tsx';
import { readRequest } from '../usage-logs/content/turns.ts';

/** A conversation that is compared: its last message is the prompt where that is a text of the user. */
export interface ReplayedPrompt {
  readonly earlier: readonly unknown[];
  readonly draft: Pick<Draft, 'prompt' | 'parameters' | 'others'>;
}

export function promptOfReplay({ messages, parameters }: Replay): ReplayedPrompt {
  const last = messages.at(-1);
  const prompt = isObject(last) && last.role === 'user' ? plainText(last.content) : null;
  const { tools } = parameters;
  const { parameters: fields, others } = parametersOfReplay({ ...parameters, tools: undefined });
  const withTools = tools === undefined ? others : JSON.stringify({ ...parsed(others), tools }, null, 2);
  return {
    earlier: prompt === null ? messages : messages.slice(0, -1),
    draft: { prompt: prompt ?? '', parameters: fields, others: withTools },
  };
}

/** Null for content that is not one text. */
function plainText(content: unknown): string | null {
  if (typeof content === 'string') return content;
  const [part, ...more] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return more.length === 0 && isObject(part) && part.type === 'text' && typeof part.text === 'string'
    ? part.text
    : null;
}

function parsed(json: string): object {
  const value: unknown = json === '' ? {} : JSON.parse(json);
  return isObject(value) ? value : {};
}

/** The messages that every model receives before the prompt. */
export function EarlierMessages({
  messages,
  onRemove,
}: {
  readonly messages: readonly unknown[];
  readonly onRemove: () => void;
}): ReactNode {
  const body = useMemo(() => readRequest({ messages }), [messages]);
  return (
    <div className="flex items-start gap-1 rounded-medium bg-panel p-1.5">
      <details className="min-w-0 flex-1">
        <summary>{messages.length === 1 ? '1 earlier message' : `${count(messages.length)} earlier messages`}</summary>
        {/* Focusable, so that a keyboard can scroll it. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div tabIndex={0} role="region" aria-label="Earlier messages" className="mt-1 max-h-[40vh] overflow-y-auto">
          <BodyView label="Messages" body={body} />
        </div>
      </details>
      <Button variant="quiet" icon={<X size={16} aria-hidden />} onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}
