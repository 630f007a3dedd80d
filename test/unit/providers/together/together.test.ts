import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'together', url: 'https://api.together.ai/v1/chat/completions' });
