import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'github-models', url: 'https://models.github.ai/inference/chat/completions' });
