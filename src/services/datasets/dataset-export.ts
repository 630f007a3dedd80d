import { SluiceError } from '../../errors/index.ts';
import type { DatasetReader, OpenedItem } from './dataset-reader.ts';
import type { ChatMessage, ItemDocument } from './dataset-document.ts';
import { textOfMessage } from './message-text.ts';

/** Formats of JSON Lines. */
export const datasetFormats = ['plain', 'openai-fine-tuning', 'openai-evals'] as const;
export type DatasetFormat = (typeof datasetFormats)[number];

const PAGE_ITEMS = 100;

/** Exports datasets. One page of items is in memory at a time. */
export class DatasetExport {
  readonly #datasets: Pick<DatasetReader, 'get' | 'items' | 'list'>;

  constructor(datasets: Pick<DatasetReader, 'get' | 'items' | 'list'>) {
    this.#datasets = datasets;
  }

  /**
   * A line of training data cannot state that an item is missing, so that the export has to be refused before it begins.
   * @throws SluiceError dataset_items_unreadable if an item cannot be decrypted; as `file`
   */
  async requireReadable(accountId: string, id: string): Promise<void> {
    await this.#datasets.get(accountId, id);
    let [items, unreadable] = [0, 0];
    for await (const page of this.#pages(accountId, id)) {
      items += page.length;
      unreadable += page.filter(({ document }) => document === null).length;
    }
    if (unreadable > 0) throw new SluiceError('dataset_items_unreadable', { values: { unreadable, items } });
  }

  /** In the order of the items, without those that cannot be decrypted. @throws SluiceError not_found | database_unavailable */
  async *file(format: DatasetFormat, accountId: string, id: string): AsyncGenerator<Buffer> {
    await this.#datasets.get(accountId, id);
    for await (const items of this.#pages(accountId, id)) {
      const lines = items.flatMap(({ document }) => (document === null ? [] : (lineOf[format](document) ?? [])));
      if (lines.length > 0) yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
  }

  /**
   * The items of all datasets, for the export of an account.
   * @param onUnreadable called for each item that cannot be decrypted; its line has an `error`
   */
  async *account(accountId: string, onUnreadable: () => void = () => undefined): AsyncGenerator<Buffer> {
    let after: { readonly at: Date; readonly id: string } | null = null;
    for (;;) {
      const page: Awaited<ReturnType<DatasetReader['list']>> = await this.#datasets.list(accountId, PAGE_ITEMS, after);
      for (const { id } of page.rows)
        for await (const items of this.#pages(accountId, id)) {
          const lines = items.map(({ row, document }) => {
            const line = { type: 'dataset_item', dataset_id: id };
            if (document !== null) return { ...line, ...plainLine(document) };
            onUnreadable();
            return { ...line, id: row.id, error: 'cannot be decrypted' };
          });
          yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        }
      const last = page.rows.at(-1);
      if (last === undefined || !page.hasMore) return;
      after = { at: new Date(Number(last.created_ms)), id: last.id };
    }
  }

  async *#pages(accountId: string, id: string): AsyncGenerator<readonly OpenedItem[]> {
    let after: number | null = null;
    for (;;) {
      const page: Awaited<ReturnType<DatasetReader['items']>> = await this.#datasets.items(
        accountId,
        id,
        PAGE_ITEMS,
        after,
      );
      if (page.rows.length > 0) yield page.rows;
      const last = page.rows.at(-1);
      if (last === undefined || !page.hasMore) return;
      after = last.row.position;
    }
  }
}

type Line = Readonly<Record<string, unknown>>;

/** Null for an item that has no place in the format. */
const lineOf: Readonly<Record<DatasetFormat, (document: ItemDocument) => Line | null>> = {
  plain: plainLine,
  'openai-fine-tuning': fineTuningLine,
  'openai-evals': evalsLine,
};

function plainLine({ input, output, metadata }: ItemDocument): Line {
  return {
    input: { messages: input.messages, ...input.parameters },
    output,
    metadata: {
      request_id: metadata.requestId,
      created_at: metadata.createdAt,
      model: metadata.model,
      served_model: metadata.servedModel,
      protocol: metadata.protocol,
      status: metadata.status,
      finish_reason: metadata.finishReason,
      input_tokens: metadata.inputTokens,
      output_tokens: metadata.outputTokens,
      cost_usd: metadata.costUsd,
      duration_ms: metadata.durationMs,
      redactions: metadata.redactions,
      dropped: metadata.dropped,
    },
  };
}

/**
 * A conversation that ends with the output, with its tools. An item without output trains nothing.
 * Source: developers.openai.com/api/docs/guides/supervised-fine-tuning.
 */
function fineTuningLine({ input, output }: ItemDocument): Line | null {
  if (output === null) return null;
  const { tools, parallel_tool_calls: parallel } = input.parameters;
  return {
    messages: [...input.messages, withoutNull(output)],
    ...(tools !== undefined && { tools }),
    ...(tools !== undefined && parallel !== undefined && { parallel_tool_calls: parallel }),
  };
}

/** An `item` of a data source, with the text that was produced as `ideal`. Source: developers.openai.com/api/docs/guides/evals. */
function evalsLine({ input, output }: ItemDocument): Line {
  const { tools } = input.parameters;
  return {
    item: {
      input: input.messages,
      ideal: output === null ? null : textOfMessage(output),
      ...(output !== null && { output }),
      ...(tools !== undefined && { tools }),
    },
  };
}

function withoutNull(message: ChatMessage): Line {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));
}
