import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { RedactionRules } from '../../gateway/content/redaction/rules.ts';
import type { ContentLoggingService } from '../../services/accounts/content-logging.service.ts';
import { toAccount } from '../accounts/account.mapping.ts';
import { Account } from '../accounts/account.types.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { toContentLevel } from './content-level.type.ts';
import {
  ContentLogging,
  RedactionDetector,
  RedactionInput,
  RedactionPreview,
  UpdateContentLoggingInput,
} from './content-logging.types.ts';

const detectors = Object.values(RedactionDetector);

@Resolver(() => Account)
export class ContentLoggingResolver {
  readonly #contentLogging: ContentLoggingService;

  constructor(contentLogging: ContentLoggingService) {
    this.#contentLogging = contentLogging;
  }

  @FieldResolver(() => ContentLogging, { description: 'Which content of the account’s requests is stored.' })
  contentLogging(@Root() { row }: Account): ContentLogging {
    const { level, defaultLevel, retentionDays, redaction, search } = this.#contentLogging.of(row);
    return {
      level: toContentLevel(level ?? defaultLevel),
      isDefault: level === null,
      retentionDays,
      redaction: {
        detectors: detectors.filter((detector) => redaction.detectors.includes(detector)),
        customPatterns: [...redaction.customPatterns],
      },
      search,
    };
  }

  @Requires('content_logging.write')
  @Mutation(() => Account, {
    description: 'Changes which content of requests is stored. Applies to requests that begin afterwards.',
  })
  async updateContentLogging(
    @Arg('input', () => UpdateContentLoggingInput, { description: 'The changes.' }) input: UpdateContentLoggingInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Account> {
    const { accountId } = await context.caller();
    const { level, retentionDays, redaction, search } = input;
    const rules = redaction && rulesOf(redaction);
    return toAccount(await this.#contentLogging.update(accountId, { level, retentionDays, redaction: rules, search }));
  }

  @Requires('content_logging.write')
  @Query(() => RedactionPreview, {
    description: 'Redacts a text by these rules as content would be, to try them. Nothing is stored.',
  })
  redactionPreview(
    @Arg('redaction', () => RedactionInput, { description: 'The rules.' }) redaction: RedactionInput,
    @Arg('text', () => String, { description: 'Up to 10,000 characters.' }) text: string,
  ): RedactionPreview {
    const preview = this.#contentLogging.preview(rulesOf(redaction), text);
    return {
      text: preview.text,
      counts: Object.entries(preview.counts).map(([name, count]) => ({ name, count })),
    };
  }
}

/** Inputs are instances of classes. */
function rulesOf({ detectors: names, customPatterns }: RedactionInput): RedactionRules {
  return { detectors: names, customPatterns: (customPatterns ?? []).map(({ name, pattern }) => ({ name, pattern })) };
}
