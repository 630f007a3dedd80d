import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'fireworks', url: 'https://api.fireworks.ai/inference/v1/chat/completions' });
