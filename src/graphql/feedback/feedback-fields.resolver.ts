import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { eventIdOf } from '../../gateway/event-id.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { RequestSession } from '../sessions/session.types.ts';
import { UsageLog } from '../usage/usage-log.types.ts';
import { authorOf, toFeedback } from './feedback.mapping.ts';
import { Feedback } from './feedback.types.ts';

/** Feedback of requests. That of all requests of a page is read in one batch. */
@Resolver(() => UsageLog)
export class RequestFeedbackResolver {
  @Requires('usage.read')
  @FieldResolver(() => [Feedback], { description: 'Feedback on the request, oldest first. At most 100.' })
  async feedback(@Root() { requestId }: UsageLog, @Ctx() context: GraphqlContext): Promise<Feedback[]> {
    const loaders = await context.loaders();
    return (await loaders.feedbackOfRequest(eventIdOf(requestId) ?? '')).map(toFeedback);
  }
}

/** Whose feedback it is. */
@Resolver(() => Feedback)
export class FeedbackAuthorResolver {
  @FieldResolver(() => Boolean, {
    description: 'Whether the caller gave it: `submitFeedback` with the same name replaces it.',
  })
  async isOwn(@Root() { authorId }: Feedback, @Ctx() context: GraphqlContext): Promise<boolean> {
    return authorId === authorOf(await context.caller());
  }
}

/** Feedback of sessions as a whole, likewise. */
@Resolver(() => RequestSession)
export class SessionFeedbackResolver {
  @Requires('usage.read')
  @FieldResolver(() => [Feedback], {
    description: 'Feedback on the session as a whole, not on its requests, oldest first. At most 100.',
  })
  async feedback(@Root() { sessionId }: RequestSession, @Ctx() context: GraphqlContext): Promise<Feedback[]> {
    const loaders = await context.loaders();
    return (await loaders.feedbackOfSession(sessionId)).map(toFeedback);
  }
}
