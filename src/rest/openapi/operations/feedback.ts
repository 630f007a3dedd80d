import { z } from 'zod';
import { MAX_CATEGORY, MAX_FEEDBACK_NAME } from '../../../services/feedback/feedback-input.ts';
import { jsonBody } from '../examples.ts';
import { failing, failure, refused } from '../failures.ts';
import { answer, limited, type Operation } from '../parts.ts';

const value = z.union([z.boolean(), z.number(), z.string().min(1).max(MAX_CATEGORY)]);

export const feedbackRequestSchema = z
  .looseObject({
    request_id: z.string().nullish().describe('The `x-request-id` of a response. Either this or `session_id`.'),
    session_id: z.string().nullish().describe('The ID of a session. Either this or `request_id`.'),
    name: z
      .string()
      .max(MAX_FEEDBACK_NAME)
      .regex(/^[A-Za-z0-9_.-]+$/)
      .nullish()
      .describe('What is judged. Default: `feedback`.'),
    value: value.describe('Good or bad, a score, or a category.'),
    comment: z.string().nullish().describe('Up to 4,096 bytes. Refused for accounts with zero retention.'),
  })
  .meta({ id: 'FeedbackRequest' });

export const feedbackSchema = z
  .object({
    id: z.string(),
    object: z.literal('feedback'),
    request_id: z.string().nullable(),
    session_id: z.string().nullable(),
    name: z.string(),
    value,
    comment: z.string().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Feedback' });

export const submitFeedback: Operation = {
  operationId: 'submitFeedback',
  summary: 'Give feedback',
  description:
    'Stores what a client says of a request or a session, in place of what the same API key said by the same name. A key gives feedback on its own requests, with the scope `manage` on all of the account.',
  tags: ['Feedback'],
  requestBody: { required: true, content: jsonBody('FeedbackRequest') },
  responses: {
    '200': answer('The feedback.', 'Feedback', limited),
    ...refused,
    ...failing('413', '415'),
    '404': failure('404', 'The account has no such request or session, or the key may not access it.'),
  },
};
