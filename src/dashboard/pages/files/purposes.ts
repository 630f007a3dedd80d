import type { FilePurpose } from '../../generated/graphql.ts';

export const purposes: readonly FilePurpose[] = [
  'BATCH',
  'BATCH_OUTPUT',
  'USER_DATA',
  'VISION',
  'ASSISTANTS',
  'EVALS',
  'FINE_TUNE',
];

/** As the REST API names them. */
export const purposeNames: Readonly<Record<FilePurpose, string>> = {
  ASSISTANTS: 'assistants',
  BATCH: 'batch',
  BATCH_OUTPUT: 'batch_output',
  EVALS: 'evals',
  FINE_TUNE: 'fine-tune',
  USER_DATA: 'user_data',
  VISION: 'vision',
};

/** Batches write their output themselves. */
export const uploadPurposes = purposes.filter((purpose) => purpose !== 'BATCH_OUTPUT');
