import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { useObjectUrl } from '../../../data/object-url.ts';
import { buttonClass } from '../../../design/button.tsx';
import { Textarea } from '../../../design/textarea.tsx';
import { persistentCall } from '../persistent-call.ts';
import { readGeneratedImages, readStoredImages, type GeneratedImage } from './generated-images.ts';
import type { PanelProps } from '../panel.ts';
import { requestOf } from '../request.ts';
import { paths } from '../samples.ts';
import { SendForm } from '../send-form.tsx';

const useImages = persistentCall<readonly GeneratedImage[]>({ capability: 'images', read: readStoredImages });

/** Generates images from a prompt. */
export function Images({ draft, model, change, onSent }: PanelProps): ReactNode {
  const called = useImages();
  const send = (): void => {
    if (model === null) return;
    onSent();
    const body = requestOf('images', model, draft);
    called.call({ path: paths.images, body }, draft.prompt, async ({ response }) =>
      readGeneratedImages(await response.json()),
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
      {(images) => (
        <ul className="grid gap-2 sm:grid-cols-2 md:grid-cols-2">
          {images.map((image, index) => (
            // The images have no id.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index} className="relative">
              <ImageItem image={image} index={index} text={called.result?.input ?? ''} />
            </li>
          ))}
        </ul>
      )}
    </SendForm>
  );
}

function ImageItem({
  image,
  index,
  text,
}: {
  readonly image: GeneratedImage;
  readonly index: number;
  readonly text: string;
}): ReactNode {
  const objectUrl = useObjectUrl(typeof image === 'string' ? null : image);
  const url = (typeof image === 'string' ? image : objectUrl) ?? undefined;
  return (
    <>
      <img src={url} alt={`${text}, ${index + 1}`} className="w-full rounded-medium border border-line bg-panel" />
      <a
        href={url}
        download={`image-${index + 1}`}
        className={`${buttonClass('plain', true)} absolute right-1 bottom-1`}
        aria-label={`Save image ${index + 1}`}
      >
        <Download size={16} aria-hidden />
      </a>
    </>
  );
}
