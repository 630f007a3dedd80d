import type { RequestHandler, Response } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { FormInput } from '../../gateway/request-input.ts';
import { MAX_FILE_BYTES } from '../../services/files/files.service.ts';
import { fileObject } from '../../services/files/file-object.ts';
import { lifetimeOf, readFilename, readLifetime, readPurpose, type NewFile } from '../../services/files/new-file.ts';
import { keyOf } from '../authentication/caller.ts';
import { formBytes } from '../body/read-form.ts';
import { SpooledFile } from '../files/spooled-file.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { sendJson } from '../http/send-json.ts';
import { receiveForm } from './receive-form.ts';
import { refuseZeroRetention } from './refuse-zero-retention.ts';
import type { FileRouteDependencies } from './route-dependencies.ts';

const limits = {
  files: ['file'],
  maxFiles: 1,
  fileBytes: MAX_FILE_BYTES,
  maxFields: 16,
  fieldBytes: 1_024,
  bytes: formBytes(1, MAX_FILE_BYTES),
} as const;

/** `POST /files`. Source: OpenAI's API document, CreateFileRequest. */
export function createFile(deps: FileRouteDependencies): RequestHandler {
  return receiveForm(deps, {
    limits,
    admit: (_request, response) => refuseZeroRetention(keyOf(response), 'file'),
    answer: async (_request, response, form) => {
      const { file, ...given } = readFields(form, response);
      const stored = await deps.files.create(given, file.content());
      setStandardHeaders(response);
      sendJson(response, 200, JSON.stringify(fileObject(stored)));
    },
  });
}

/** @throws SluiceError missing_required_parameter | invalid_value */
function readFields({ fields }: FormInput, response: Response): NewFile & { readonly file: SpooledFile } {
  const { file, purpose: named, expires_after: after } = fields;
  if (!(file instanceof SpooledFile)) throw new SluiceError('missing_required_parameter', { param: 'file' });
  const { id: apiKeyId, accountId } = keyOf(response);
  const purpose = readPurpose(named);
  return {
    file,
    accountId,
    apiKeyId,
    purpose,
    filename: readFilename(file.filename),
    lifetimeSeconds: lifetimeOf(readLifetime(after), purpose),
  };
}
