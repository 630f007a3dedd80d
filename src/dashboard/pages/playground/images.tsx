import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { useObjectUrl } from '../../data/object-url.ts';
import { buttonClass } from '../../design/button.tsx';
import { Textarea } from '../../design/textarea.tsx';
import { keptCall } from './kept-call.ts';
import { madePicturesIn, storedPicturesIn, type MadePicture } from './made-pictures.ts';
import type { PanelProps } from './panel.ts';
import { requestOf } from './request.ts';
import { paths } from './samples.ts';
import { SendForm } from './send-form.tsx';

const usePictures = keptCall<readonly MadePicture[]>({ capability: 'images', read: storedPicturesIn });

/** Generates images from a prompt. */
export function Images({ draft, model, change, onSent }: PanelProps): ReactNode {
  const called = usePictures();
  const send = (): void => {
    if (model === null) return;
    onSent();
    const body = requestOf('images', model, draft);
    called.call({ path: paths.images, body }, draft.prompt, async ({ response }) =>
      madePicturesIn(await response.json()),
    );
  };
  return (
    <SendForm
      called={called}
      input={draft.prompt}
      canSend={model !== null && draft.prompt.trim() !== ''}
      label="Generate"
      onSend={send}
      empty="The images appear here."
      fields={
        <Textarea
          label="Prompt"
          required
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
      }
    >
      {(pictures) => (
        <ul className="grid gap-2 sm:grid-cols-2 md:grid-cols-2">
          {pictures.map((picture, place) => (
            // The images have no id.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={place} className="relative">
              <Picture picture={picture} place={place} text={called.result?.input ?? ''} />
            </li>
          ))}
        </ul>
      )}
    </SendForm>
  );
}

function Picture({
  picture,
  place,
  text,
}: {
  readonly picture: MadePicture;
  readonly place: number;
  readonly text: string;
}): ReactNode {
  const made = useObjectUrl(typeof picture === 'string' ? null : picture);
  const url = (typeof picture === 'string' ? picture : made) ?? undefined;
  return (
    <>
      <img src={url} alt={`${text}, ${place + 1}`} className="w-full rounded-medium border border-line bg-panel" />
      <a
        href={url}
        download={`image-${place + 1}`}
        className={`${buttonClass('plain', true)} absolute right-1 bottom-1`}
        aria-label={`Save image ${place + 1}`}
      >
        <Download size={16} aria-hidden />
      </a>
    </>
  );
}
