import { useEffect, useState, type ReactNode } from 'react';
import { useAttachedImages, useRun, useTurns } from '../chat/conversation-state.ts';
import { newDraft } from '../draft.ts';
import { useDrafts } from '../playground-state.ts';
import type { Replay } from './loaded-replay.tsx';
import type { OpenedReplay } from './replay-notice.tsx';
import { conversationOf } from './replayed-messages.ts';
import { parametersOfReplay } from './replayed-parameters.ts';

/** Fills the chat of the playground with a logged request. Shown in place of the chat, which reads its state when it is opened. */
export function FillPlayground({
  replay,
  onFilled,
}: {
  readonly replay: Replay;
  readonly onFilled: (opened: OpenedReplay) => void;
}): ReactNode {
  const [, setDrafts] = useDrafts();
  const [, setTurns] = useTurns();
  const [, setRun] = useRun();
  const [, setImages] = useAttachedImages();
  const [opened, setOpened] = useState<OpenedReplay | null>(null);
  useEffect(() => {
    const { id, messages, parameters, lacking, redactions } = replay;
    const { system, turns, prompt, images, lacking: notShown } = conversationOf(messages);
    setDrafts((before) => ({
      ...before,
      chat: { ...newDraft('chat'), system, prompt, ...parametersOfReplay(parameters) },
    }));
    setTurns(turns);
    setRun(null);
    setImages(images);
    setOpened({ id, lacking: [...new Set([...lacking, ...notShown])], redactions });
    // Once: the page may have changed it since.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  useEffect(() => {
    // In the render after, when the states above are stored.
    if (opened !== null) onFilled(opened);
    // oxlint-disable-next-line react/exhaustive-deps
  }, [opened]);
  return null;
}
