import { ImagePlus, RotateCcw, Send, Square, X } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useMutation, useConnection } from '../../../data/graphql/hooks.ts';
import { Button, IconButton } from '../../../design/button.tsx';
import { Textarea } from '../../../design/textarea.tsx';
import { StopCompletionDocument } from '../../../generated/graphql.ts';
import { emptyCompletion } from './completion.ts';
import { CompletionRun } from './completion-run.ts';
import { chatParameters, messagesOf, type Turn } from './conversation.ts';
import { useCompletion, useAttachedImages, useRun, useTurns } from './conversation-state.ts';
import type { PanelProps } from '../panel.ts';
import { MAX_IMAGE_CHARACTERS, readImage } from './attached-images.ts';
import { TurnView } from './turn-view.tsx';

/** A streaming conversation with images and tools. It continues when the page is left. */
export function Chat({ draft, model, change, onSent }: PanelProps): ReactNode {
  const connection = useConnection();
  const [turns, setTurns] = useTurns();
  const [images, setImages] = useAttachedImages();
  const [errorMessage, setErrorMessage] = useState<string | null>(null);
  const [run, setRun] = useRun();
  const completion = useCompletion(run);
  const [cancel] = useMutation(StopCompletionDocument);
  const isRunning = run !== null && completion.state === 'running';
  const shown = turns.map((turn, index) => (index === turns.length - 1 && run ? { ...turn, completion } : turn));
  const file = useRef<HTMLInputElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const length = completion.text.length + completion.reasoning.length;
  useEffect(() => {
    if (run) end.current?.scrollIntoView({ block: 'nearest' });
  }, [run, length, completion.state]);

  /** @returns whether the request was sent */
  const start = (before: readonly Turn[], text: string, attached: readonly string[]): boolean => {
    if (model === null) return false;
    const id = crypto.getRandomValues(new Uint32Array(4)).join('-');
    const turn: Turn = { id, text, images: attached, completion: emptyCompletion, results: {} };
    const next = [...before, turn];
    try {
      const parameters = chatParameters(draft);
      const messages = messagesOf(draft.system, next);
      setRun(new CompletionRun(connection, { clientRequestId: id, model, messages, parameters }));
      setErrorMessage(null);
    } catch {
      setErrorMessage(
        'Not sent: the tools are not a JSON array, or the other parameters no JSON object. Correct them in the settings.',
      );
      return false;
    }
    setTurns(next);
    return true;
  };
  const send = (): void => {
    const text = draft.prompt.trim();
    if (isRunning || (text === '' && images.length === 0)) return;
    if (!start(shown, text, images)) return;
    onSent();
    change({ prompt: '' });
    setImages([]);
  };
  const attach = async (files: readonly File[]): Promise<void> => {
    const existing = [...turns.flatMap((turn) => turn.images), ...images];
    let remaining = MAX_IMAGE_CHARACTERS - existing.join('').length;
    try {
      for (const each of files) {
        const url = await readImage(each, remaining);
        remaining -= url.length;
        setImages((before) => [...before, url]);
      }
      setErrorMessage(null);
    } catch (error) {
      setErrorMessage(error instanceof Error ? error.message : 'The image could not be read.');
    }
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div role="log" aria-label="Conversation" className="flex min-h-24 flex-1 flex-col gap-3">
        {shown.length === 0 ? (
          <p className="m-auto max-w-[44ch] text-center text-soft">
            Send a message. Responses stream in, with tokens, cost and time to first token.
          </p>
        ) : null}
        {shown.map((turn, index) => (
          <TurnView
            key={turn.id}
            turn={turn}
            onResults={
              index === shown.length - 1 && !isRunning
                ? (results) => start(shown.with(index, { ...turn, results }), '', [])
                : null
            }
          />
        ))}
        <div ref={end} />
      </div>
      <form
        className="sticky bottom-0 flex flex-col gap-1 bg-page pb-2"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {errorMessage ? (
          <p role="alert" className="text-bad">
            {errorMessage}
          </p>
        ) : null}
        {images.length > 0 ? (
          <ul aria-label="Attached images" className="flex flex-wrap gap-1">
            {images.map((url, index) => (
              <li key={url} className="relative">
                <img src={url} alt={`Attached image ${index + 1}`} className="size-8 rounded-medium object-cover" />
                <button
                  type="button"
                  aria-label={`Remove image ${index + 1}`}
                  onClick={() => setImages(images.filter((_each, at) => at !== index))}
                  className="absolute -top-0.5 -right-0.5 grid size-3 place-items-center rounded-medium border border-line bg-raised"
                >
                  <X size={12} aria-hidden />
                </button>
              </li>
            ))}
          </ul>
        ) : null}
        <Textarea
          label="Message"
          hidesLabel
          placeholder="Write a message …"
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <div className="flex items-center gap-1">
          <input
            ref={file}
            type="file"
            accept="image/*"
            multiple
            hidden
            aria-label="Image files"
            onChange={({ target }) => {
              void attach([...(target.files ?? [])]);
              target.value = '';
            }}
          />
          <IconButton label="Attach images" onClick={() => file.current?.click()}>
            <ImagePlus size={16} aria-hidden />
          </IconButton>
          <p className="flex-1 text-small text-soft max-md:hidden">Enter sends, Shift + Enter inserts a line break.</p>
          <span className="flex-1 md:hidden" />
          {turns.length > 0 && !isRunning ? (
            <Button
              variant="quiet"
              icon={<RotateCcw size={16} aria-hidden />}
              onClick={() => {
                setTurns([]);
                setRun(null);
              }}
            >
              New conversation
            </Button>
          ) : null}
          {isRunning ? (
            <Button
              onClick={() => void cancel({ clientRequestId: run.clientRequestId })}
              icon={<Square size={12} aria-hidden />}
            >
              Stop
            </Button>
          ) : (
            <Button variant="primary" type="submit" disabled={model === null} icon={<Send size={16} aria-hidden />}>
              Send
            </Button>
          )}
        </div>
      </form>
    </div>
  );
}
