import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'nvidia', url: 'https://integrate.api.nvidia.com/v1/chat/completions' });
