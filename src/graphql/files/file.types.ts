import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Count } from '../scalars/count.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';

export enum FilePurpose {
  ASSISTANTS = 'assistants',
  BATCH = 'batch',
  BATCH_OUTPUT = 'batch_output',
  FINE_TUNE = 'fine-tune',
  VISION = 'vision',
  USER_DATA = 'user_data',
  EVALS = 'evals',
}
registerEnumType(FilePurpose, {
  name: 'FilePurpose',
  description: 'What a file is for.',
  valuesConfig: {
    ASSISTANTS: { description: 'Input of assistants.' },
    BATCH: { description: 'The requests of a batch.' },
    BATCH_OUTPUT: { description: 'The results of a batch.' },
    FINE_TUNE: { description: 'Training data.' },
    VISION: { description: 'An image that requests name.' },
    USER_DATA: { description: 'Any content that requests name.' },
    EVALS: { description: 'Data of evaluations.' },
  },
});

export enum FileStatus {
  PROCESSED = 'processed',
}
registerEnumType(FileStatus, {
  name: 'FileStatus',
  description: 'The status of a file.',
  valuesConfig: { PROCESSED: { description: 'Requests can name it.' } },
});

@ObjectType({
  implements: Node,
  description: 'A file that a client uploaded by `POST /v1/files`, or that a batch wrote.',
})
export class StoredFile implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The ID in the REST API: `file-…`.' })
  fileId!: string;

  @Field(() => String, { description: 'The name that the client gave it.' })
  filename!: string;

  @Field(() => Count, { description: 'Size in bytes.' })
  bytes!: number;

  @Field(() => FilePurpose, { description: 'What it is for.' })
  purpose!: FilePurpose;

  @Field(() => FileStatus, { description: 'Always `PROCESSED`: files can be used at once.' })
  status!: FileStatus;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it is deleted. Null: it is kept until it is deleted.' })
  expiresAt!: Date | null;
}

@ObjectType({ description: 'A file in a page.' })
export class StoredFileEdge {
  @Field(() => StoredFile, { description: 'The file.' })
  node!: StoredFile;

  @Field(() => Cursor, { description: 'Its position, for `after` and `before`.' })
  cursor!: string;
}

@ObjectType({ description: 'A page of files.' })
export class StoredFileConnection {
  @Field(() => [StoredFileEdge], { description: 'The files with their cursors.' })
  edges!: StoredFileEdge[];

  @Field(() => [StoredFile], { description: 'The files.' })
  nodes!: StoredFile[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@ObjectType({ description: 'The space that the files of an account, and the parts of its uploads, have together.' })
export class FileStorage {
  @Field(() => Count, { description: 'Bytes that are used.' })
  usedBytes!: number;

  @Field(() => Count, { description: 'Bytes that may be used.' })
  maxBytes!: number;
}
