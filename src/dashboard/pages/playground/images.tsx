import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '../../design/button.tsx';
import { Textarea } from '../../design/textarea.tsx';
import { isObject } from '../../data/json.ts';
import type { PanelProps } from './panel.ts';
import { requestOf } from './request.ts';
import { paths } from './samples.ts';
import { SendForm } from './send-form.tsx';
import { useCall } from './use-call.ts';

/** Pictures of what the prompt says. */
export function Images({ draft, model, change, onSent }: PanelProps): ReactNode {
  const called = useCall<readonly string[]>();
  const send = (): void => {
    if (model === null) return;
    onSent();
    called.call({ path: paths.images, body: requestOf('images', model, draft) }, async ({ response }) =>
      picturesIn(await response.json()),
    );
  };
  return (
    <SendForm
      called={called}
      canSend={model !== null && draft.prompt.trim() !== ''}
      label="Draw"
      onSend={send}
      empty="The pictures stand here, side by side."
      fields={
        <Textarea
          label="What it shows"
          required
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
      }
    >
      {(pictures) => (
        <ul className="grid gap-2 sm:grid-cols-2 md:grid-cols-2">
          {pictures.map((url, place) => (
            <li key={url} className="relative">
              <img
                src={url}
                alt={`${draft.prompt}, ${place + 1}`}
                className="w-full rounded-medium border border-line bg-panel"
              />
              <a
                href={url}
                download={`picture-${place + 1}`}
                className={`${buttonClass('plain', true)} absolute right-1 bottom-1`}
                aria-label={`Save picture ${place + 1}`}
              >
                <Download size={16} aria-hidden />
              </a>
            </li>
          ))}
        </ul>
      )}
    </SendForm>
  );
}

/** Links, or base64 as data URLs. */
function picturesIn(answer: unknown): readonly string[] {
  if (!isObject(answer) || !Array.isArray(answer.data)) throw new TypeError('no pictures');
  const format = typeof answer.output_format === 'string' ? answer.output_format : 'png';
  return answer.data.flatMap((each: unknown) => {
    if (!isObject(each)) return [];
    if (typeof each.b64_json === 'string') return [`data:image/${format};base64,${each.b64_json}`];
    return typeof each.url === 'string' ? [ownPath(each.url)] : [];
  });
}

/** A link of this server as a path: the page may be reached by another name than the link's. */
function ownPath(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname.startsWith('/media/') ? pathname + search : url;
}
