import type { Request, RequestHandler, Response } from 'express';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { FormInput, RequestInput } from '../../gateway/request-input.ts';
import { MAX_FILE_BYTES } from '../../services/files/files.service.ts';
import { fileObject } from '../../services/files/file-object.ts';
import { readExpiry, readFilename, readPurpose, type NewFile } from '../../services/files/new-file.ts';
import { keyOf } from '../authentication/caller.ts';
import { formBytes, readForm } from '../body/read-form.ts';
import { SpooledFile } from '../files/spooled-file.ts';
import { identityOf } from '../headers/request-headers.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { answerError } from '../http/errors.ts';
import { sendJson } from '../http/send-json.ts';
import type { FileRouteDependencies } from './route-dependencies.ts';

const limits = {
  files: ['file'],
  maxFiles: 1,
  fileBytes: MAX_FILE_BYTES,
  maxFields: 16,
  fieldBytes: 1_024,
  bytes: formBytes(1, MAX_FILE_BYTES),
} as const;

/** `POST /files`: a form, whose file is written to disk as it arrives. Source: OpenAI's API document, CreateFileRequest. */
export function createFile(deps: FileRouteDependencies): RequestHandler {
  const read = readForm(deps.uploads, limits);
  return async (request, real) => {
    const key = keyOf(real);
    refuseZeroRetention(key.zeroRetention === true);
    await requireAnnouncedSpace(deps, request, key.accountId);
    const claimed = deps.idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const fail = (error: unknown): void => answerError(response, toSluiceError(error));
    read(
      request,
      key,
      (input) => {
        const run = (): void => void store(deps, input, response).catch(fail);
        if (claimed === null) run();
        else claimed.claim(input, run, fail);
      },
      fail,
    );
  };
}

/** Refuses a file that cannot be stored before it is sent. The form around it is some hundred bytes. */
async function requireAnnouncedSpace(
  { files }: FileRouteDependencies,
  request: Request,
  accountId: string,
): Promise<void> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.fieldBytes) await files.requireSpace(accountId, announced - limits.fieldBytes);
}

async function store({ files }: FileRouteDependencies, input: RequestInput, response: Response): Promise<void> {
  // Only JSON is bytes.
  if (Buffer.isBuffer(input)) return;
  try {
    const { file, ...given } = readFields(input, response);
    const stored = await files.create(given, file.open());
    setStandardHeaders(response);
    sendJson(response, 200, JSON.stringify(fileObject(stored)));
  } finally {
    input.release();
  }
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
    expiresAt: readExpiry(after, purpose, identityOf(response).clock.now()),
  };
}

/** @throws SluiceError zero_retention */
function refuseZeroRetention(isZero: boolean): void {
  if (!isZero) return;
  throw new SluiceError('zero_retention', {
    param: 'file',
    values: { what: 'A stored file', next: 'Send the content within the request.' },
  });
}
