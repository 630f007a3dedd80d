import type { Call, OpenRequest } from '../call.ts';
import { chat } from '../capabilities/chat/chat.ts';
import { embeddings } from '../capabilities/embeddings/embeddings.ts';
import { images } from '../capabilities/images/images.ts';
import { speech } from '../capabilities/speech/speech.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { Pipeline } from '../pipeline.ts';
import type { ComparisonKind, ComparisonQuestion } from './lane-state.ts';

/** Sends a lane's request through the pipeline. */
export function openLane(
  pipeline: Pipeline,
  store: MediaStore,
  kind: ComparisonKind,
  call: Call,
  body: Buffer,
): OpenRequest {
  switch (kind) {
    case 'chat':
      return pipeline.open(chat, call, body);
    case 'image':
      return pipeline.open(images('generation', store), call, body);
    case 'speech':
      return pipeline.open(speech, call, body);
    case 'embeddings':
      return pipeline.open(embeddings, call, body);
  }
}

/** The body of a lane's request. Parameters cannot override the members that define the comparison. */
export function laneBody(kind: ComparisonKind, question: ComparisonQuestion, model: string): Buffer {
  const { messages, prompt, texts, parameters, modelParameters = {} } = question;
  const own = Object.hasOwn(modelParameters, model) ? modelParameters[model] : undefined;
  const common = { ...parameters, ...own, model };
  const bodies: Readonly<Record<ComparisonKind, object>> = {
    chat: { ...common, messages, stream: true },
    image: { ...common, prompt, stream: false, response_format: 'b64_json' },
    speech: { ...common, input: prompt, stream_format: 'audio' },
    embeddings: { ...common, input: texts, encoding_format: 'float' },
  };
  return Buffer.from(JSON.stringify(bodies[kind]));
}
