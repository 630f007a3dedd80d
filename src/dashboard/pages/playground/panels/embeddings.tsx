import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../../design/button.tsx';
import { Input } from '../../../design/field.tsx';
import { count } from '../../../design/format.ts';
import { isObject } from '../../../data/json.ts';
import type { PanelProps } from '../panel.ts';
import { requestOf, filledTexts } from '../request.ts';
import { paths } from '../samples.ts';
import { SendForm } from '../send-form.tsx';
import { persistentCall } from '../persistent-call.ts';

interface SimilarityResult {
  readonly texts: readonly string[];
  readonly dimensions: number;
  readonly tokens: number | null;
  /** The cosine similarity of each pair. */
  readonly grid: readonly (readonly number[])[];
}

const MAX_TEXTS = 6;

const useSimilarity = persistentCall<SimilarityResult>();

/** Compares texts pairwise. */
export function Embeddings({ draft, model, change, onSent }: PanelProps): ReactNode {
  const called = useSimilarity();
  const texts = draft.texts.length < 2 ? [...draft.texts, '', ''].slice(0, 2) : draft.texts;
  const send = (): void => {
    if (model === null) return;
    onSent();
    const sentTexts = filledTexts(draft);
    // No input text: the result shows the texts.
    called.call({ path: paths.embeddings, body: requestOf('embeddings', model, draft) }, '', async ({ response }) =>
      similarityOf(sentTexts, await response.json()),
    );
  };
  return (
    <SendForm
      called={called}
      input=""
      canSend={model !== null && filledTexts(draft).length > 1}
      label="Compare"
      onSend={send}
      empty="The similarity of the texts appears here: 1 means the same direction, 0 means unrelated."
      fields={
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-0.5 font-strong">Texts</legend>
          {texts.map((each, index) => (
            // The texts have no id.
            // oxlint-disable-next-line react/no-array-index-key
            <div key={index} className="flex items-center gap-1">
              <div className="min-w-0 flex-1">
                <Input
                  label={`Text ${index + 1}`}
                  hidesLabel
                  value={each}
                  onChange={({ target }) => change({ texts: texts.with(index, target.value) })}
                />
              </div>
              {texts.length > 2 ? (
                <IconButton
                  label={`Remove text ${index + 1}`}
                  onClick={() => change({ texts: texts.filter((_text, at) => at !== index) })}
                >
                  <X size={16} aria-hidden />
                </IconButton>
              ) : null}
            </div>
          ))}
          {texts.length < MAX_TEXTS ? (
            <div>
              <Button
                variant="quiet"
                icon={<Plus size={16} aria-hidden />}
                onClick={() => change({ texts: [...texts, ''] })}
              >
                Add text
              </Button>
            </div>
          ) : null}
        </fieldset>
      }
    >
      {({ texts: sentTexts, grid, dimensions, tokens }) => (
        // Focusable, so that the keyboard can scroll it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div role="region" aria-label="Similarity" tabIndex={0} className="overflow-x-auto">
          <table className="figures w-full border-collapse text-left">
            <caption className="pb-1 text-left text-small text-soft">
              Pairwise cosine similarity, {count(dimensions)} dimensions
              {tokens === null ? '' : `, ${count(tokens)} tokens`}
            </caption>
            <thead>
              <tr>
                <td />
                {sentTexts.map((_text, index) => (
                  // oxlint-disable-next-line react/no-array-index-key
                  <th key={index} scope="col" className="p-1 text-right font-normal text-soft">
                    {index + 1}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {grid.map((row, index) => (
                // oxlint-disable-next-line react/no-array-index-key
                <tr key={index} className="border-t border-line">
                  <th scope="row" className="min-w-16 p-1 font-normal wrap-anywhere">
                    {index + 1}. {sentTexts[index]}
                  </th>
                  {row.map((value, at) => (
                    // oxlint-disable-next-line react/no-array-index-key
                    <td key={at} className={`p-1 text-right ${at === index ? 'text-soft' : 'font-strong'}`}>
                      {value.toFixed(3)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </SendForm>
  );
}

function similarityOf(texts: readonly string[], body: unknown): SimilarityResult {
  if (!isObject(body) || !Array.isArray(body.data)) throw new TypeError('no embeddings');
  const vectors = body.data.map((each: unknown) => {
    if (!isObject(each) || !Array.isArray(each.embedding)) throw new TypeError('no embedding');
    return each.embedding.map(Number);
  });
  const usage = isObject(body.usage) ? body.usage : {};
  return {
    texts,
    dimensions: vectors[0]?.length ?? 0,
    tokens: typeof usage.prompt_tokens === 'number' ? usage.prompt_tokens : null,
    grid: vectors.map((one) => vectors.map((other) => cosine(one, other))),
  };
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const lengths = Math.sqrt(dot(one, one) * dot(other, other));
  return lengths === 0 ? 0 : dot(one, other) / lengths;
}
