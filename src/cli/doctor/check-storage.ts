import { openBucket } from '../../composition/storage.ts';
import type { Environment } from '../../config/environment.ts';
import { SluiceError } from '../../errors/index.ts';
import { describeError } from '../errors/describe-error.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Storage';

/** The bucket of files, media and logged content. Writes nothing. */
export async function checkStorage(environment: Environment): Promise<readonly Finding[]> {
  const { S3_BUCKET: name, S3_ENDPOINT: endpoint, SLUICE_STORAGE: target } = environment;
  const bucket = openBucket(environment);
  if (bucket === null)
    return [found(SUBJECT, 'unused', 'S3_BUCKET is not set: files are in the folder `blobs` of the data folder')];
  const place = `the bucket ${name} at ${endpoint === undefined ? 'Amazon S3' : new URL(endpoint).host}`;
  try {
    await bucket.check();
    const use = target === 's3' ? 'stores new files' : 'is only read: SLUICE_STORAGE is folder';
    return [found(SUBJECT, 'ok', `${place} answers, and ${use}`)];
  } catch (error) {
    const reason = (error instanceof SluiceError ? error.detail : undefined) ?? describeError(error);
    return [
      fault(
        SUBJECT,
        'failed',
        `${place} could not be used: ${reason}`,
        'Check S3_BUCKET, S3_ENDPOINT, S3_REGION, the credentials and their permissions, and the clock of this machine.',
      ),
    ];
  } finally {
    await bucket.close();
  }
}
