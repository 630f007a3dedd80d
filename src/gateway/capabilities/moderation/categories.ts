export { moderationCategories } from '../../../providers/shared/moderation/moderation-result.ts';
