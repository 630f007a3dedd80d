import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'deepinfra', url: 'https://api.deepinfra.com/v1/openai/chat/completions' });
