import { formatUsd } from '../../catalogue/prices/price.ts';
import type { UsageLog } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { LoggedRequest, ReplayedRequest } from '../../gateway/replay/replay-request.ts';
import type { LoggedContentsService, ReadContent } from '../content-log/logged-contents.service.ts';
import { whyUnreadable } from '../content-log/unreadable-content.ts';
import type { UsageService } from '../usage/usage.service.ts';
import { MAX_ITEM_BYTES, type ChatMessage, type ItemDocument } from './dataset-document.ts';

/** Converts logged content of any protocol to that of a chat. */
export interface ItemConversion {
  /** @throws SluiceError of status 400, where it has no equivalent */
  request(logged: LoggedRequest): ReplayedRequest;
  /** Null where there is no output. */
  response(body: unknown): ChatMessage | null;
}

export interface ItemCopiesDependencies {
  readonly contents: Pick<LoggedContentsService, 'read'>;
  readonly usage: Pick<UsageService, 'log'>;
  readonly convert: ItemConversion;
}

export interface SkippedRequest {
  readonly eventId: string;
  readonly reason: string;
}

export interface ItemCopy {
  readonly eventId: string;
  /** JSON of an `ItemDocument`. */
  readonly document: Buffer;
}

/** Copies the redacted content of requests. */
export class ItemCopies {
  readonly #dependencies: ItemCopiesDependencies;

  constructor(dependencies: ItemCopiesDependencies) {
    this.#dependencies = dependencies;
  }

  /** One after the other, each once: a document may have a megabyte. */
  async *each(accountId: string, eventIds: readonly string[]): AsyncGenerator<ItemCopy | SkippedRequest> {
    for (const eventId of new Set(eventIds)) {
      const copy = await this.#copy(accountId, eventId);
      yield typeof copy === 'string' ? { eventId, reason: copy } : { eventId, document: copy };
    }
  }

  /** @returns the reason where it cannot be copied */
  async #copy(accountId: string, eventId: string): Promise<Buffer | string> {
    const { contents, usage } = this.#dependencies;
    const log = await usage.log(accountId, eventId);
    if (log === null) return 'The account has no such request.';
    if (log.protocol === null) return 'Only requests of text generation can be added.';
    const content = await contents.read(accountId, eventId);
    if (content.state !== 'stored') return whyUnreadable[content.state];
    if (content.level !== 'full') return 'Only metadata of this request was logged, without text.';
    try {
      const document = Buffer.from(JSON.stringify(this.#document(log, log.protocol, content)));
      if (document.length <= MAX_ITEM_BYTES) return document;
      return `Its content has ${document.length} bytes. Items have up to ${MAX_ITEM_BYTES} bytes.`;
    } catch (error) {
      if (error instanceof SluiceError && error.status === 400) return error.message;
      throw error;
    }
  }

  #document(
    log: UsageLog,
    protocol: NonNullable<UsageLog['protocol']>,
    { document, redactions }: Extract<ReadContent, { state: 'stored' }>,
  ): ItemDocument {
    const { convert } = this.#dependencies;
    const { requestedModel: model } = log;
    const { messages, parameters, dropped } = convert.request({ protocol, body: document.request, model });
    return {
      input: { messages, parameters },
      output: convert.response(document.response),
      metadata: {
        requestId: `req_${log.eventId.replaceAll('-', '')}`,
        createdAt: log.beganAt.toISOString(),
        model,
        servedModel: log.model,
        protocol,
        status: log.status,
        finishReason: log.finishReason,
        inputTokens: log.inputTokens,
        outputTokens: log.outputTokens,
        costUsd: formatUsd(log.costNano),
        durationMs: log.durationMs,
        redactions,
        dropped,
      },
    };
  }
}
