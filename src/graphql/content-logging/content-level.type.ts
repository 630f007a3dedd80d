import { registerEnumType } from 'type-graphql';
import type { ContentLevel as Level } from '../../gateway/content/content-level.ts';

export enum ContentLevel {
  OFF = 'off',
  METADATA = 'metadata',
  FULL = 'full',
}
registerEnumType(ContentLevel, {
  name: 'ContentLevel',
  description: 'Which content of a request is stored besides its usage log.',
  valuesConfig: {
    OFF: { description: 'Nothing.' },
    METADATA: {
      description:
        'The shape of request and response without text: roles, sizes, counts, names of tools, and the type, size and hash of media.',
    },
    FULL: {
      description: 'The bodies of request and response after redaction. Media is stored as its type, size and hash.',
    },
  },
});

const levels: Readonly<Record<Level, ContentLevel>> = {
  off: ContentLevel.OFF,
  metadata: ContentLevel.METADATA,
  full: ContentLevel.FULL,
};

export function toContentLevel(level: Level): ContentLevel {
  return levels[level];
}
