export { moderationCategories } from '../../../providers/shared/moderation-result.ts';
