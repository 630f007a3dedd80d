import type { FeedbackService } from '../../services/feedback/feedback.service.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toFeedback } from './feedback.mapping.ts';

/** Feedback by its IDs. */
export function feedbackNodes(feedback: Pick<FeedbackService, 'byIds'>): NodeLoaders {
  return {
    Feedback: async (context, ids) => {
      const { accountId } = await context.require('usage.read');
      const rows = await feedback.byIds(accountId, ids);
      return rows.map((row) => withTypename('Feedback', toFeedback(row)));
    },
  };
}
