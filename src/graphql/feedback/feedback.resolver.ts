import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import { eventIdOf } from '../../gateway/event-id.ts';
import { isTraceName } from '../../gateway/usage/request-trace.ts';
import { readFeedback } from '../../services/feedback/feedback-input.ts';
import { summarizeFeedback } from '../../services/feedback/feedback-summary.ts';
import type { FeedbackService, FeedbackTarget } from '../../services/feedback/feedback.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { ApiKey } from '../keys/api-key.types.ts';
import { loadApiKey } from '../keys/load-api-key.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { UsageFilter, UsageRange } from '../usage/usage-report.types.ts';
import { toReportFilter } from '../usage/usage-row-filter.ts';
import { authorOf, toFeedback } from './feedback.mapping.ts';
import { Feedback, FeedbackDimension, FeedbackGroup, FeedbackInput } from './feedback.types.ts';

@Resolver(() => FeedbackGroup)
export class FeedbackResolver {
  readonly #feedback: Pick<FeedbackService, 'submit' | 'remove'>;
  readonly #database: Database;

  constructor(feedback: Pick<FeedbackService, 'submit' | 'remove'>, database: Database) {
    this.#feedback = feedback;
    this.#database = database;
  }

  @Requires('feedback.write')
  @Mutation(() => Feedback, {
    description:
      'Stores feedback on a request or a session, in place of that of the same name by the same key or user.',
  })
  async submitFeedback(
    @Arg('input', () => FeedbackInput, { description: 'The feedback.' }) input: FeedbackInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Feedback> {
    const caller = await context.caller();
    const given = readFeedback({ name: input.name, value: valueOf(input), comment: input.comment });
    const reach = accountReach(caller.accountId);
    return toFeedback(await this.#feedback.submit(reach, authorOf(caller), targetOf(input), given));
  }

  @Requires('feedback.write')
  @Mutation(() => ID, { description: 'Deletes feedback and returns its ID.' })
  async deleteFeedback(
    @Arg('id', () => ID, { description: 'ID of a `Feedback`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<string> {
    const { accountId } = await context.caller();
    if (!(await this.#feedback.remove(accountReach(accountId), fromGlobalId('Feedback', id))))
      throw new SluiceError('not_found', { values: { what: 'Feedback' } });
    return id;
  }

  @Requires('usage.read')
  @Query(() => [FeedbackGroup], {
    description:
      'Means of feedback on requests, by its name and the dimensions, most frequent first. At most 500 groups.',
  })
  async feedbackSummary(
    @Arg('range', () => UsageRange, { description: 'Time range of the requests.' }) { from, to }: UsageRange,
    @Arg('groupBy', () => [FeedbackDimension], {
      nullable: true,
      description: 'Groups the feedback. Default: by its name alone.',
    })
    groupBy: FeedbackDimension[] | null,
    @Arg('name', () => String, { nullable: true, description: 'Only feedback of this name. Default: of all names.' })
    name: string | null,
    @Arg('filter', () => UsageFilter, { nullable: true, description: 'Filters the requests. Default: all requests.' })
    filter: UsageFilter | null | undefined,
    @Ctx() context: GraphqlContext,
  ): Promise<FeedbackGroup[]> {
    if (filter?.text) await context.require('logged_content.read');
    const { accountId } = await context.caller();
    const query = { from, to, name: name ?? null, groupBy: groupBy ?? [], filter: toReportFilter(filter) };
    return summarizeFeedback(this.#database, accountId, query);
  }

  // Callers who can read usage can see which key it belongs to.
  @Requires('usage.read')
  @FieldResolver(() => ApiKey, { nullable: true })
  apiKey(@Root() { apiKeyId }: FeedbackGroup, @Ctx() context: GraphqlContext): Promise<ApiKey | null> {
    return apiKeyId === null ? Promise.resolve(null) : loadApiKey(context, apiKeyId);
  }
}

/** @throws SluiceError bad_user_input */
function valueOf({ boolean, number, category }: FeedbackInput): unknown {
  const [value, other] = [boolean, number, category].filter((each) => each !== undefined && each !== null);
  if (other === undefined) return value;
  throw invalid('input', 'give one of `boolean`, `number` and `category`');
}

/** @throws SluiceError bad_user_input | not_found */
function targetOf({ requestId = null, sessionId = null }: FeedbackInput): FeedbackTarget {
  if ((requestId === null) === (sessionId === null)) throw invalid('input', 'give either `requestId` or `sessionId`');
  if (sessionId !== null) {
    if (!isTraceName(sessionId)) throw new SluiceError('not_found', { values: { what: 'session' } });
    return { sessionId };
  }
  const eventId = eventIdOf(requestId ?? '');
  if (eventId === null) throw new SluiceError('not_found', { values: { what: 'request' } });
  return { eventId };
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason } });
}
