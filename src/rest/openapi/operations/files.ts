import { z } from 'zod';
import { filePurposes, uploadPurposes } from '../../../services/files/new-file.ts';
import { failure, refused } from '../failures.ts';
import { answer, limited, linksById, ref, pageParameters, type Operation } from '../parts.ts';

/** Source: OpenAI's API document, CreateFileRequest. */
export const fileFormSchema = z
  .object({
    file: z.string().meta({ format: 'binary' }).describe('The file, up to 512 MB.'),
    purpose: z.enum(uploadPurposes).describe('What it is for.'),
    'expires_after[anchor]': z.literal('created_at').optional(),
    'expires_after[seconds]': z
      .int()
      .min(3_600)
      .max(2_592_000)
      .optional()
      .describe('When the file expires. Files of batches expire after 30 days if it is absent, others never.'),
  })
  .meta({ id: 'FileForm' });

/** Source: OpenAI's API document, OpenAIFile. */
export const fileSchema = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int(),
    created_at: z.int().describe('Unix time in seconds.'),
    expires_at: z.int().optional().describe('Unix time in seconds. Absent if the file does not expire.'),
    filename: z.string(),
    purpose: z.string(),
    status: z.literal('processed'),
  })
  .meta({ id: 'File' });

export const fileListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(fileSchema),
    first_id: z.string(),
    last_id: z.string(),
    has_more: z.boolean(),
  })
  .meta({ id: 'FileList' });

export const fileDeletedSchema = z
  .object({ id: z.string(), object: z.literal('file'), deleted: z.boolean() })
  .meta({ id: 'FileDeleted' });

const tags = ['Files'];
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: '`file-…`.' };
const missing = failure('404', 'The account has no file with this ID.');
const content = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

export const createFile: Operation = {
  operationId: 'createFile',
  summary: 'Upload a file',
  description: 'Stores a file, which batches can refer to by its ID. It is written to disk as it arrives.',
  tags,
  requestBody: { required: true, content: { 'multipart/form-data': { schema: ref('FileForm') } } },
  responses: {
    '200': {
      ...answer('The file.', 'File', limited),
      links: linksById('retrieveFile', 'deleteFile', 'downloadFile'),
    },
    ...refused,
    '413': failure('413', 'The file is too large, or the files of the account have no space for it.'),
    '415': failure('415'),
  },
};

export const listFiles: Operation = {
  operationId: 'listFiles',
  summary: 'List files',
  tags,
  parameters: [
    { name: 'purpose', in: 'query', schema: { type: 'string', enum: [...filePurposes] } },
    ...pageParameters('file', { max: 10_000, default: 10_000 }),
  ],
  responses: { '200': answer('A page of files.', 'FileList', limited), ...refused, '404': missing },
};

export const retrieveFile: Operation = {
  operationId: 'retrieveFile',
  summary: 'Retrieve a file',
  tags,
  parameters: [id],
  responses: { '200': answer('The file.', 'File', limited), ...refused, '404': missing },
};

export const deleteFile: Operation = {
  operationId: 'deleteFile',
  summary: 'Delete a file',
  tags,
  parameters: [id],
  responses: { '200': answer('The file is deleted.', 'FileDeleted', limited), ...refused, '404': missing },
};

export const downloadFile: Operation = {
  operationId: 'downloadFile',
  summary: 'Download a file',
  description: 'Returns the bytes of a file. Supports `Range`.',
  tags,
  parameters: [id],
  responses: {
    '200': { description: 'The bytes.', headers: limited, content },
    '206': { description: 'The requested range.', headers: limited, content },
    '302': {
      description:
        'The bytes are at the URL in `Location`, for a minute. Only where the operator chose presigned downloads.',
      headers: limited,
    },
    ...refused,
    '404': missing,
    '416': { description: 'The range starts after the end of the file.', headers: limited },
  },
};
